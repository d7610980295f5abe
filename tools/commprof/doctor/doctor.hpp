// commprof doctor PROGRAM: says what the profiler would see of it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace commprof_launcher {

struct DoctorOptions {
  DoctorOptions();
  DoctorOptions(DoctorOptions const&) = delete;
  DoctorOptions& operator=(DoctorOptions const&) = delete;

  CLI::App app;
  std::string program;
};

// Exit codes: 0 if MPI calls are or may be seen, 1 if not, 2 for an invalid command line.
[[nodiscard]] int run_doctor(int argc, char** argv);

}  // namespace commprof_launcher
