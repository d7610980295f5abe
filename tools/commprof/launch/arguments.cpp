#include "launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"

namespace commprof_launcher {

std::string describe_unknown_option(CLI::App const& app, std::string_view argument) {
  std::string const unknown = fmt::format("there is no option {}", argument.substr(0, argument.find('=')));
  if (!argument.starts_with("--"))
    return fmt::format("{}; those of a launcher follow its name: commprof mpirun {} …", unknown, argument);
  std::string_view const typed = argument.substr(2, std::min(argument.find('='), argument.size()) - 2);
  commprof::NearestName nearest(typed);
  for (CLI::Option const* option : app.get_options())
    for (std::string const& name : option->get_lnames()) nearest.offer(name);
  return nearest.name().empty() ? unknown : fmt::format("{}; did you mean --{}?", unknown, nearest.name());
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (CLI::Success const& success) {
    return app.exit(success);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "{}: {} (--help explains)\n", app.get_name(), error.what());
    return exit_usage;
  }
}

}  // namespace commprof_launcher
