#include "launch/arguments.hpp"

#include <fmt/format.h>

namespace commprof_launcher {

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
