#pragma once

#include <cstdint>

#include "mpi/mpi.hpp"

namespace commprof::volume {

// What the status of a completed receive says has arrived, in bytes. The two MPIs that most others derive from say so
// in their mpi.h.
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
