// Parses the arguments of a command.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace commprof_launcher {

inline constexpr int exit_usage = 2;  // for an invalid command line

// The error for a first word that begins with - but is not an option of the command. It names the option with the most
// similar name.
[[nodiscard]] std::string describe_unknown_option(CLI::App const& app, std::string_view argument);

// The exit code if the command must end here: --help was answered, or the arguments were refused with one line on
// stderr.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace commprof_launcher
