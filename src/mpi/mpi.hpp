// Includes mpi.h without the C++ classes that old MPIs declare in it.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION >= 1  // Open MPI 6 has -1 in its own mpi.h
#define COMMPROF_STANDARD_ABI 1
#elif __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdint>

#include "base/compiler.hpp"

#ifdef COMMPROF_STANDARD_ABI
// The standard ABI has no MPI_Fint, and calls these conversions otherwise.
using MPI_Fint = int;
inline MPI_Fint PMPI_Comm_c2f(MPI_Comm comm) { return PMPI_Comm_toint(comm); }
inline MPI_Comm PMPI_Comm_f2c(MPI_Fint comm) { return PMPI_Comm_fromint(comm); }
inline MPI_Fint PMPI_Type_c2f(MPI_Datatype type) { return PMPI_Type_toint(type); }
inline MPI_Fint PMPI_Request_c2f(MPI_Request request) { return PMPI_Request_toint(request); }
inline MPI_Request PMPI_Request_f2c(MPI_Fint request) { return PMPI_Request_fromint(request); }
#endif

#ifndef MPI_SESSION_NULL
// This mpi.h is older than sessions. A newer MPI with the same ABI may have them: their handles are pointers in Open
// MPI and integers in MPICH.
#ifdef OPEN_MPI
using MPI_Session = struct ompi_instance_t*;
#else
using MPI_Session = int;
#endif
using MPI_Session_errhandler_function = void(MPI_Session*, int*, ...);
extern "C" {
[[gnu::weak]] int PMPI_Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* errhandler);
}
#endif

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

// The number that a function of MPI such as PMPI_Comm_size tells of a communicator or a group. Not inlined: the number
// would be in the frame of the caller.
template <auto ask, class Handle>
[[gnu::noinline]] int told_by(Handle handle) {
  int number = 0;
  ask(handle, &number);
  return number;
}

// The class of an error code: codes may differ between processes, classes do not.
inline int error_class_of(int error) {
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(error, &error_class);
  return error_class;
}

// The bytes that arrived, by the status of a completed receive. Open MPI and MPICH, from which most other MPIs derive,
// have the count in a field that their mpi.h declares.
inline std::uint64_t arrived_bytes(MPI_Status const* status) {
#if defined(OPEN_MPI)
  return status->_ucount;
#elif defined(MPICH_NUMVERSION)
  return static_cast<std::uint64_t>(static_cast<unsigned>(status->count_hi_and_cancelled) >> 1) << 32 |
         static_cast<unsigned>(status->count_lo);
#else
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
#endif
}

}  // namespace commprof
