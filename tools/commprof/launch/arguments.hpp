// The arguments of a command, as its definition has them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace commprof_launcher {

inline constexpr int exit_usage = 2;  // for a command line that makes no sense

// The error for a first word that begins with - and is no option of the command: it names the option that was probably
// meant.
[[nodiscard]] std::string describe_unknown_option(CLI::App const& app, std::string_view argument);

// The exit code if there is nothing to do but end: --help was answered, or the arguments turned down, in one line on
// stderr.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace commprof_launcher
