// The functions of MPI that a file imports, sorted by binding, and those that it defines.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/elf_file.hpp"

namespace commprof_launcher {

struct MpiNames {
  std::vector<std::string> c, fortran;  // calls that the profiler counts
  std::vector<std::string> unknown;     // calls that it does not know
  std::vector<std::string> profiling;   // PMPI_…, the interface for profilers
  std::vector<std::string> defined;     // functions that the file itself defines

  // Whether the file is a tool over PMPI, by the rule of the profiler: src/front/owner.hpp.
  [[nodiscard]] bool are_of_tool() const { return !defined.empty() && !profiling.empty(); }
};

// front: the exports of libcommprof.so.
[[nodiscard]] MpiNames mpi_names(ElfFile const& file, std::set<std::string> const& front);

}  // namespace commprof_launcher
