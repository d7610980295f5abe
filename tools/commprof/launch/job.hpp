// Runs a command and waits for it, as a shell does.
#pragma once

#include <string>
#include <vector>

#include "launch/flags.hpp"

namespace commprof_launcher {

// environment: added to that of this process, of which what is in `removed` goes. Returns the exit code as a shell has
// it: 128 and the number of the signal for a command that one ended, 127 for one that is not found and 126 for one that
// cannot be run; then one line has said so. Signals that would end this process go to the command, which may have
// something to write; those that are ignored stay so, in the command, too.
[[nodiscard]] int run_and_wait(std::vector<std::string> const& words, Variables const& environment = {},
                               std::vector<std::string> const& removed = {});

}  // namespace commprof_launcher
