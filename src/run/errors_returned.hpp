// Keeps errors from the program's error handlers.
#pragma once

#include "mpi/mpi.hpp"

namespace commprof {

// While it exists, errors on a communicator are returned to the profiler, and the program's handler is not called.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &handler_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ErrorsReturned(ErrorsReturned const&) = delete;
  ErrorsReturned& operator=(ErrorsReturned const&) = delete;
  ~ErrorsReturned() {
    PMPI_Comm_set_errhandler(comm_, handler_);
    PMPI_Errhandler_free(&handler_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

}  // namespace commprof
