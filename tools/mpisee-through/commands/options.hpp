// Options that several commands share.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/selection.hpp"
#include "summary/traffic.hpp"
#include "table/document.hpp"

namespace mpisee_through {

// The selected part of a profile, and of messages how they are measured.
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

}  // namespace mpisee_through
