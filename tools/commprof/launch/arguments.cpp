#include "launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace commprof_launcher {

namespace {

// The error for a first word that begins with - but is not an option of the command. It names the option with the most
// similar name.
std::string describe_unknown_option(CLI::App const& app, std::string_view argument) {
  std::string const unknown = fmt::format("there is no option {}", argument.substr(0, argument.find('=')));
  if (!argument.starts_with("--"))
    return fmt::format("{}; those of a launcher follow its name: {} mpirun {} …", unknown, app.get_name(), argument);
  std::string_view const typed = argument.substr(2, std::min(argument.find('='), argument.size()) - 2);
  commprof::NearestName nearest(typed);
  for (CLI::Option const* option : app.get_options())
    for (std::string const& name : option->get_lnames()) nearest.offer(name);
  return nearest.name().empty() ? unknown : fmt::format("{}; did you mean --{}?", unknown, nearest.name());
}

}  // namespace

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

std::optional<int> parse_command(CLI::App& app, int argc, char** argv, std::string_view lack,
                                 std::vector<std::string>& words) {
  if (auto const exit_code = parse(app, argc, argv)) return exit_code;
  words = app.remaining();
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (!words.empty() && !words.front().starts_with('-')) return std::nullopt;
  fmt::print(stderr, "{}: {} (--help explains)\n", app.get_name(),
             words.empty() ? fmt::format("there is {}", lack) : describe_unknown_option(app, words.front()));
  return exit_usage;
}

}  // namespace commprof_launcher
