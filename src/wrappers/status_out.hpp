// The status of a call that receives. The profiler needs it even if the program ignores it.
#pragma once

#include "mpi/mpi.hpp"

namespace commprof {

class StatusOut {
 public:
  explicit StatusOut(MPI_Status* status) : status_(status == MPI_STATUS_IGNORE ? &own_ : status) {}
  MPI_Status* get() { return status_; }

 private:
  MPI_Status own_;
  MPI_Status* status_;
};

}  // namespace commprof
