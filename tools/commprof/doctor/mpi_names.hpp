// The functions of MPI that a file imports, by how it names them, and those that it defines.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/elf_file.hpp"

namespace commprof_launcher {

struct MpiNames {
  std::vector<std::string> c, fortran;  // that the profiler counts
  std::vector<std::string> unknown;     // that it does not know
  std::vector<std::string> profiling;   // PMPI_…, of the interface for profilers
  std::vector<std::string> defined;     // that the file defines itself

  // As the profiler does: src/front/owner.hpp.
  [[nodiscard]] bool are_of_tool() const { return !defined.empty() && !profiling.empty(); }
};

// front: the exports of libcommprof.so.
[[nodiscard]] MpiNames mpi_names(ElfFile const& file, std::set<std::string> const& front);

}  // namespace commprof_launcher
