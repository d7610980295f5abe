// The families of MPI libraries. Within a family, the number in the library's soname identifies the ABI.
#pragma once

#include <cstdlib>
#include <string_view>

namespace commprof::front {

// A library that defines this function is an MPI.
inline constexpr char characteristic_of_mpi[] = "PMPI_Init";

struct Family {
  char const* name;
  char const* symbol;    // only libraries of the family define it
  char const* launched;  // an environment variable that the family's launchers set
  int unsupported_operation;
};

// Intel MPI, MVAPICH and Cray MPICH belong to the family of MPICH, whose ABI they share.
inline constexpr Family families[] = {
    {"openmpi", "ompi_mpi_comm_world", "OMPI_COMM_WORLD_SIZE", 52},
    {"mpich", "MPIR_Dup_fn", "PMI_SIZE", 44},
};

// The number in a soname such as libmpi.so.40; -1 if it has none.
inline long abi_number(std::string_view soname) {
  constexpr std::string_view before = ".so.";
  std::size_t const at = soname.find(before);
  return at == soname.npos ? -1 : std::strtol(soname.data() + at + before.size(), nullptr, 10);
}

}  // namespace commprof::front
