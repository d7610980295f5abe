// commprof [OPTIONS] COMMAND …: runs a job with the profiler in its ranks, and shows the profiles.
#pragma once

#include <string>
#include <vector>

#include "launch/options.hpp"
#include "recovery/recovery.hpp"

namespace commprof_launcher {

// Returns the command's exit code, or 2 for an invalid command line.
[[nodiscard]] int run(int argc, char** argv);

// commprof doctor COMMAND: says what the profiler would see of the programs that it runs, and the reasons for what it
// would not see. Exit codes: 0 if MPI calls are or may be seen, 1 if not, 2 for an invalid command line.
[[nodiscard]] int run_doctor(int argc, char** argv);

// The other parts of this installation, found relative to the launcher's own file. Both throw std::runtime_error with a
// one-line message if the file is missing.
[[nodiscard]] std::string library_path();
[[nodiscard]] std::string reader_path();

// Runs a command and waits for it, as a shell does. environment: variables to add to this process's environment;
// removed: names to delete from it. Returns the exit code as a shell does: 128 plus the number of the signal that ended
// the command; 127 if it is not found, 126 if it cannot be run, each after one line on stderr. Signals that would end
// this process are forwarded to the command, which may have output to write; ignored signals stay ignored, in the
// command, too. end: when and how the command ended.
[[nodiscard]] int run_and_wait(std::vector<std::string> const& words, Variables const& environment = {},
                               std::vector<std::string> const& removed = {}, mpisee_through::CommandEnd* end = nullptr);

}  // namespace commprof_launcher
