// Waits that leave the processor to others. On more processes than processors, an MPI that spins while it waits keeps the very
// process that it waits for from running.
#pragma once

#include <sched.h>

#include "profile/mpi.hpp"

namespace commprof {

// A request that fails is over, too.
inline void wait_politely(MPI_Request request, MPI_Status* status = MPI_STATUS_IGNORE) {
  for (int is_complete = 0;;) {
    int const result = PMPI_Test(&request, &is_complete, status);
    if (is_complete != 0 || result != MPI_SUCCESS) return;
    sched_yield();
  }
}

}  // namespace commprof
