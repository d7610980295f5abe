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
  // The communicators on which errors are raised. self_alone: while callbacks of the program run.
  enum On : int { world_and_self, self_alone, nothing };

  explicit QuietErrors(On on = world_and_self) {
    int has_world = 0;
    PMPI_Initialized(&has_world);
    if (has_world == 0) return;
    std::lock_guard const lock(mutex);
    on_ = on;
    for (int i = on_; i < nothing; ++i) {
      if (users[i]++ > 0) continue;
      PMPI_Comm_get_errhandler(raised_on(i), &handlers[i]);
      PMPI_Comm_set_errhandler(raised_on(i), MPI_ERRORS_RETURN);
    }
  }
  QuietErrors(QuietErrors const&) = delete;
  QuietErrors& operator=(QuietErrors const&) = delete;
  ~QuietErrors() {
    if (on_ == nothing) return;
    std::lock_guard const lock(mutex);
    for (int i = on_; i < nothing; ++i) {
      if (--users[i] > 0) continue;
      PMPI_Comm_set_errhandler(raised_on(i), handlers[i]);
      PMPI_Errhandler_free(&handlers[i]);
    }
  }

  // False in a program that only uses sessions, which lacks these communicators.
  explicit operator bool() const { return on_ != nothing; }

 private:
  static MPI_Comm raised_on(int i) { return i == world_and_self ? MPI_COMM_WORLD : MPI_COMM_SELF; }

  inline static constinit std::mutex mutex;
  inline static constinit int users[nothing]{};
  inline static MPI_Errhandler handlers[nothing];
  On on_ = nothing;
};

}  // namespace commprof
