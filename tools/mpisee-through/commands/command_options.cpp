#include "commands/command_options.hpp"

#include <fmt/format.h>

#include "commands/commands.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {

CommandOptions::CommandOptions(std::string const& name, std::string const& description, std::string const& footer)
    : app_(description, name) {
  app_.footer(footer);
  app_.set_help_flag("-h,--help", "Print this help and exit");
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
    fmt::print(stderr, "{}: {} (--help explains)\n", app_.get_name(), visible(error.what()));
    return exit_usage;
  }
}

}  // namespace mpisee_through
