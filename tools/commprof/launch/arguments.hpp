// The arguments of a command, as its definition has them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace commprof_launcher {

inline constexpr int exit_usage = 2;  // for a command line that makes no sense

// The exit code if there is nothing to do but end: --help was answered, or the arguments turned down, in one line on
// stderr.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

}  // namespace commprof_launcher
