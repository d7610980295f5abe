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

// The selected part of a profile: --comm, --op, --kind, --region, --site, --rank, --size. Messages have no kind and no
// site.
class SelectionOptions {
 public:
  enum class Of { calls, messages };
  void add_to(CLI::App& app, std::string const& group, Of of = Of::calls);
  // Valid once the command line is parsed.
  [[nodiscard]] Selection selection() const;

 private:
  Selection names_;
  std::vector<std::string> kinds_;
  std::string ranks_, sizes_;
};

// --class.
class ClassOption {
 public:
  CLI::Option* add_to(CLI::App& app, std::string const& group);
  // Valid once the command line is parsed.
  void add_to(Selection& selection) const;

 private:
  std::vector<std::string> classes_;
};

// The selected messages, and how they are measured: --weight, --class, --from, --to.
class MessageOptions {
 public:
  void add_to(CLI::App& app, std::string const& group);
  // Valid once the command line is parsed.
  void add_to(Selection& selection) const;
  [[nodiscard]] Measure measure() const;

 private:
  std::string measure_ = "bytes", from_, to_;
  ClassOption classes_;
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

// Nothing unless the text is a number from 1 on.
[[nodiscard]] std::optional<std::size_t> parse_positive(std::string_view text);

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
[[nodiscard]] std::string check_positive(std::string const& text);
[[nodiscard]] std::string check_rank_list(std::string const& text);
[[nodiscard]] std::string check_file(std::string const& text);

// Parses a text that a validator has accepted; nothing if it is empty.
[[nodiscard]] std::optional<RankSet> ranks_of(std::string const& text);

}  // namespace mpisee_through
