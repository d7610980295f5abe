// commprof doctor COMMAND: says what the profiler would see of the programs that it runs, and the reasons for what it
// would not see.
#pragma once

namespace commprof_launcher {

// Exit codes: 0 if MPI calls are or may be seen, 1 if not, 2 for an invalid command line.
[[nodiscard]] int run_doctor(int argc, char** argv);

}  // namespace commprof_launcher
