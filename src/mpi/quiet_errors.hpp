// While an object exists, errors of the profiler's own calls are returned to the profiler, and the program's error
// handlers are not called.
//
// An invalid handle raises its error on MPI_COMM_WORLD, since MPI-4 on MPI_COMM_SELF (§9.3).
#pragma once

#include <mutex>

#include "mpi/mpi.hpp"

namespace commprof {

class QuietErrors {
 public:
  QuietErrors() {
    std::lock_guard const lock(mutex);
    if (users++ > 0) return;
    replace(MPI_COMM_WORLD, of_world);
    replace(MPI_COMM_SELF, of_self);
  }
  QuietErrors(QuietErrors const&) = delete;
  QuietErrors& operator=(QuietErrors const&) = delete;
  ~QuietErrors() {
    std::lock_guard const lock(mutex);
    if (--users > 0) return;
    restore(MPI_COMM_WORLD, of_world);
    restore(MPI_COMM_SELF, of_self);
  }

 private:
  static void replace(MPI_Comm comm, MPI_Errhandler& handler) {
    PMPI_Comm_get_errhandler(comm, &handler);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  static void restore(MPI_Comm comm, MPI_Errhandler& handler) {
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
  }

  inline static constinit std::mutex mutex;
  inline static constinit int users = 0;
  inline static MPI_Errhandler of_world, of_self;
};

}  // namespace commprof
