// Waits that leave the processor to others. On more processes than processors, an MPI that spins while it waits keeps the very
// process that it waits for from running.
#pragma once

#include <sched.h>

#include "profile/mpi.hpp"

namespace commprof {

inline void wait_politely(MPI_Request request, MPI_Status* status = MPI_STATUS_IGNORE) {
  for (int is_complete = 0;;) {
    PMPI_Test(&request, &is_complete, status);
    if (is_complete != 0) return;
    sched_yield();
  }
}

}  // namespace commprof
