// What the profiler would see of a program, and why not the rest.
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
  std::vector<std::string> flavours;  // the names of those beside it
  std::string mpirun;                 // the path of the one that the shell would run; empty: none
  std::string family_of_mpirun;       // "openmpi", "mpich" or empty
};

[[nodiscard]] Diagnosis diagnose(Inspected const& program, Surroundings const& around);

}  // namespace commprof_launcher
