// commprof [OPTIONS] COMMAND …: runs a job with the profiler in its ranks, and shows the profiles.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "launch/flags.hpp"

namespace commprof_launcher {

struct RunOptions {
  RunOptions();
  RunOptions(RunOptions const&) = delete;
  RunOptions& operator=(RunOptions const&) = delete;

  CLI::App app;
  Variables variables;
  std::string launcher;  // empty: to be found out
  bool is_quiet = false, wants_report = false, opens_report = false, is_dry = false;
};

// Returns the command's exit code, or 2 for an invalid command line.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace commprof_launcher
