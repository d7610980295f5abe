// Runs a command and waits for it, as a shell does.
#pragma once

#include <string>
#include <vector>

#include "files/command_end.hpp"
#include "launch/options.hpp"

namespace commprof_launcher {

// environment: variables to add to this process's environment; removed: names to delete from it. Returns the exit code
// as a shell does: 128 plus the number of the signal that ended the command; 127 if it is not found, 126 if it cannot
// be run, each after one line on stderr. Signals that would end this process are forwarded to the command, which may
// have output to write; ignored signals stay ignored, in the command, too. end: when and how the command ended.
[[nodiscard]] int run_and_wait(std::vector<std::string> const& words, Variables const& environment = {},
                               std::vector<std::string> const& removed = {}, mpisee_through::CommandEnd* end = nullptr);

}  // namespace commprof_launcher
