// commprof doctor COMMAND: says what the profiler would see of the programs that it runs, and the reasons for what it
// would not see.
#pragma once

#include <string>
#include <vector>

#include "doctor/inspected.hpp"

namespace commprof_launcher {

enum class Verdict { seen, perhaps, not_seen };

struct Diagnosis {
  Verdict verdict = Verdict::seen;
  std::string summary;  // the verdict in a sentence
  struct Line {
    std::string what, text;
  };
  std::vector<Line> lines;
};

struct Surroundings {
  std::string front;  // the path of libcommprof.so
  ElfFile front_file;
  std::vector<std::string> flavours;  // names of the flavours beside the front
  std::string mpirun;                 // path of the mpirun that the shell would run; empty if there is none
  std::string family_of_mpirun;       // "openmpi", "mpich" or empty
};

[[nodiscard]] Diagnosis diagnose(Inspected const& program, Surroundings const& around);

// Exit codes: 0 if MPI calls are or may be seen, 1 if not, 2 for an invalid command line.
[[nodiscard]] int run_doctor(int argc, char** argv);

}  // namespace commprof_launcher
