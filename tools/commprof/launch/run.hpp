// commprof [OPTIONS] COMMAND …: runs a job with the profiler in its ranks, and shows the profiles.
#pragma once

#include <string>

namespace commprof_launcher {

// Returns the command's exit code, or 2 for an invalid command line.
[[nodiscard]] int run(int argc, char** argv);

// The other parts of this installation, found relative to the launcher's own file. Both throw std::runtime_error with a
// one-line message if the file is missing.
[[nodiscard]] std::string library_path();
[[nodiscard]] std::string reader_path();

}  // namespace commprof_launcher
