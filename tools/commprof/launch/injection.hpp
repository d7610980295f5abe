// Changes the command of a job so that its ranks, but not its launcher, load the profiler.
#pragma once

#include <string>
#include <vector>

#include "launch/launchers.hpp"
#include "launch/options.hpp"

namespace commprof_launcher {

// Additions to the environment of the ranks.
struct Injection {
  std::string preload;  // the whole value of LD_PRELOAD
  Variables variables;  // COMMPROF_…
};

struct Command {
  Words words;
  Variables environment;  // variables to add to the launcher's environment
  Words removed;          // variables to remove from it
};

// Does not change words that belong to a program, and keeps what the user preloads. Throws std::runtime_error with a
// one-line message if the variables cannot be passed on.
[[nodiscard]] Command inject(Words words, FoundLauncher launcher, Injection const& injection);

}  // namespace commprof_launcher
