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

// The family of the standard ABI, whichever MPI has it.
inline constexpr Family standard_abi{"mpi-abi", nullptr, nullptr, 55};

inline bool has_standard_abi(std::string_view soname) { return soname.starts_with("libmpi_abi.so."); }

// The family of a library of MPI. defines(symbol): whether it or its own parts define a symbol. The soname comes first:
// Open MPI's library with the standard ABI shares the part that defines Open MPI's symbol.
template <class Defines>
Family const* family_by(std::string_view soname, Defines&& defines) {
  if (has_standard_abi(soname)) return &standard_abi;
  for (Family const& family : families)
    if (defines(family.symbol)) return &family;
  return nullptr;
}

// The number in a soname such as libmpi.so.40; -1 if it has none.
inline long abi_number(std::string_view soname) {
  constexpr std::string_view before = ".so.";
  std::size_t const at = soname.find(before);
  if (at == soname.npos) return -1;
  return std::strtol(soname.data() + at + before.size(), nullptr, 10);
}

}  // namespace commprof::front
