#include "commands/command_options.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/suggestions.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {

namespace {

// Prints the groups of options that few need, and the longer text, with --help-all only.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(std::string rare_group, std::string more)
      : rare_group_(std::move(rare_group)), more_(std::move(more)) {}

  std::string make_help(CLI::App const* app, std::string name, CLI::AppFormatMode mode) const override {
    is_of_all_ = mode == CLI::AppFormatMode::All;
    return CLI::Formatter::make_help(app, std::move(name), mode) + (is_of_all_ ? more_ : "");
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<CLI::Option const*> options) const override {
    bool const is_left_out = !is_of_all_ && group == rare_group_;
    return is_left_out ? "" : CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
  // The type of an option's value. CLI11's default also lists excluded options, which would fill most of the page.
  std::string make_option_opts(CLI::Option const* option) const override {
    std::string const type = option->get_type_name();
    std::string const several = option->get_expected_max() == CLI::detail::expected_max_vector_size ? " ..." : "";
    return (type.empty() ? "" : " " + type) + several;
  }

 private:
  std::string rare_group_, more_;
  mutable bool is_of_all_ = false;
};

// The parser's error; errors about options in our own words. An unknown option is reported first, because other errors
// may come from its value.
std::string describe(CLI::App const& app, CLI::ParseError const& error) {
  for (std::string const& argument : app.remaining())
    if (argument.size() > 1 && argument.front() == '-') return describe_unknown_option(app, argument);
  return error.what();
}

}  // namespace

CommandOptions::CommandOptions(std::string const& name, std::string const& description, std::string const& footer,
                               RareHelp const& rare)
    : app_(description, name) {
  app_.footer(footer);
  app_.set_help_flag("-h,--help", "Print this help and exit");
  if (!rare.text.empty()) app_.set_help_all_flag("--help-all", "Print all options, and what names and columns mean");
  app_.formatter(std::make_shared<HelpFormatter>(rare.group, rare.text));
  app_.get_formatter()->column_width(24);
  app_.get_formatter()->label("REQUIRED", "");
}

std::optional<int> CommandOptions::parse(int argc, char const* const* argv) {
  try {
    app_.parse(argc, argv);
    check();
    return std::nullopt;
  } catch (CLI::Success const& success) {
    return app_.exit(success);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "{}: {} (--help explains)\n", app_.get_name(), visible(describe(app_, error)));
    return exit_usage;
  }
}

}  // namespace mpisee_through
