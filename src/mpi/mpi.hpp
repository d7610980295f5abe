// Includes mpi.h without the C++ classes that old MPIs declare in it.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdint>

#include "base/bit_cast.hpp"

namespace commprof {

// The bits of a handle, which is a pointer in some MPIs and an integer in others.
template <class Handle>
std::uint64_t handle_bits(Handle handle) {
  if constexpr (sizeof(Handle) == sizeof(std::uint64_t)) return bit_cast<std::uint64_t>(handle);
  else return bit_cast<std::uint32_t>(handle);
}

// Handles, statuses and numbers of Fortran are read as integers of this size.
static_assert(sizeof(MPI_Fint) == 4, "a Fortran with default integers of 8 bytes is not supported");

// Distinguishes an integer of Fortran from the bits of any C handle, which are a user-space address or a shorter
// number.
constexpr std::uint64_t bits_of_integer(MPI_Fint integer) {
  return std::uint64_t{1} << 63 | static_cast<std::uint32_t>(integer);
}
constexpr bool are_of_integer(std::uint64_t bits) { return bits >> 63 != 0; }
constexpr MPI_Fint integer_of_bits(std::uint64_t bits) { return static_cast<std::int32_t>(bits); }

template <class Handle>
Handle handle_of_bits(std::uint64_t bits) {
  if constexpr (sizeof(Handle) == sizeof(std::uint64_t)) return bit_cast<Handle>(bits);
  else return bit_cast<Handle>(static_cast<std::uint32_t>(bits));
}

}  // namespace commprof
