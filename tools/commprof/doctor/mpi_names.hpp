// The functions of MPI that a file imports, by how it names them.
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
};

// front: the exports of libcommprof.so.
[[nodiscard]] MpiNames mpi_names(ElfFile const& file, std::set<std::string> const& front);

}  // namespace commprof_launcher
