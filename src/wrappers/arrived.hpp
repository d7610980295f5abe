#pragma once

#include <cstdint>

#include "mpi/mpi.hpp"

namespace commprof::volume {

// The bytes that arrived, by the status of a completed receive. Open MPI and MPICH, from which most other MPIs derive,
// have the count in a field that their mpi.h declares.
inline std::uint64_t arrived(MPI_Status const* status) {
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

}  // namespace commprof::volume
