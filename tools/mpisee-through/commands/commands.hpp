// The commands: mpisee-through COMMAND …. If the first word is not a command, it is a profile, or an option of the
// plain command, which shows a profile. And what commands have in common.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summary/selection.hpp"
#include "summary/traffic.hpp"
#include "table/document.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {

// Exit codes: 0 for an answer; 1 for a profile or a selection without one; 2 for an invalid command line; 3 for runs
// that are slower than compare --fail-above allows.
inline constexpr int exit_no_answer = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_slower = 3;

// A command: its options, and what it answers. --help and the manual page are made of the options.
class Command {
 public:
  Command(std::string const& name, std::string const& description, std::string const& footer = "");
  Command(Command const&) = delete;
  Command& operator=(Command const&) = delete;
  virtual ~Command() = default;

  // Parses the command line, whose first word is the command's name, and answers. Returns the exit code: that of
  // answer(), or of a command line that asks for --help or is refused with one line on stderr.
  [[nodiscard]] int run(int argc, char const* const* argv);

  [[nodiscard]] bool has_option(std::string const& name) const { return app_.get_option_no_throw(name) != nullptr; }

 protected:
  [[nodiscard]] bool given(std::string const& option) const { return app_.count(option) > 0; }

  CLI::App app_;

 private:
  // Further checks of the command line: throws CLI::ParseError, in the parser's words.
  virtual void check() {}
  [[nodiscard]] virtual int answer() = 0;
};

// Options that several commands share: first the selected part of a profile, and of messages how they are measured.
class SelectionOptions {
 public:
  static constexpr std::string_view calls = "--comm --op --kind --region --site --rank --size";

  // Adds the options with these names; all of them are the calls' and "--weight --class --from --to".
  void add_to(CLI::App& app, std::string_view names, std::string const& group,
              std::string const& group_of_messages = "Messages");
  // Valid once the command line is parsed.
  [[nodiscard]] Selection selection() const;
  [[nodiscard]] Measure measure() const { return *measures.parse(measure_); }

 private:
  Selection names_;
  std::vector<std::string> kinds_, classes_;
  std::string ranks_, sizes_, from_, to_, measure_ = "bytes";
};

// --csv, --json and --html FILE: at most one of them.
class FormatOptions {
 public:
  // csv and json are texts for --help.
  void add_to(CLI::App& app, char const* csv, char const* json);
  // Text unless the user chose another form.
  [[nodiscard]] Format format() const { return format_; }
  // The file of the page, if the form is html.
  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] std::string const& command() const { return command_; }

 private:
  Format format_ = Format::text;
  std::string file_, command_;
};

// PROFILE, which the command needs.
void add_profile(CLI::App& app, std::string& profile);
// --top, of which parse_top() says the number; nothing if it is not given.
CLI::Option* add_top(CLI::App& app, std::string& top, char const* help);
[[nodiscard]] std::optional<std::size_t> parse_top(std::string_view text);

// A validator for CLI11: the text must be one that `parse` accepts; problem: says why another text is wrong.
template <class Parse>
[[nodiscard]] auto parsed_by(Parse parse, std::string_view problem) {
  return [parse, problem = std::string(problem)](std::string const& text) {
    return parse(text) ? std::string() : fmt::format("\"{}\" {}", text, problem);
  };
}
template <class Enum, std::size_t count>
[[nodiscard]] auto one_of(Names<Enum, count> const& names) {
  return parsed_by([&names](std::string_view text) { return names.parse(text); }, "is not one of " + names.list());
}
[[nodiscard]] std::string check_file(std::string const& text);

struct NamedCommand {
  std::string_view name;
  std::string_view summary;  // for --help, one line
  std::unique_ptr<Command> (*make)();
};

// The commands, in the order of --help.
[[nodiscard]] std::span<NamedCommand const> commands();
// Links and place: from tools/network, which can be left out of the build, or nothing from no_network.cpp.
[[nodiscard]] std::vector<NamedCommand> network_commands();

// Runs the command of the command line. An exception becomes one line on stderr.
[[nodiscard]] int run_command_line(int argc, char** argv);

[[nodiscard]] std::unique_ptr<Command> make_show();  // the plain command
[[nodiscard]] std::unique_ptr<Command> make_report();
[[nodiscard]] std::unique_ptr<Command> make_export();
[[nodiscard]] std::unique_ptr<Command> make_compare();
[[nodiscard]] std::unique_ptr<Command> make_scaling();
[[nodiscard]] std::unique_ptr<Command> make_resolve();
[[nodiscard]] std::unique_ptr<Command> make_now();
[[nodiscard]] std::unique_ptr<Command> make_collect();

// Writes documents to standard output, in ASCII if text goes to a terminal without UTF-8; or a page to its file. Notes
// that CSV has no room for go to stderr. Returns the exit code.
[[nodiscard]] int print(FormatOptions const& form, Terminal const& terminal, std::vector<Document> const& documents,
                        std::vector<std::filesystem::path> const& profiles);

// Flushes the output. Returns the exit code.
[[nodiscard]] int finish_output();

}  // namespace mpisee_through
