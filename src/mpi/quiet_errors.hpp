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
    int has_world = 0;
    PMPI_Initialized(&has_world);
    if (has_world == 0) return;
    mutex.lock();
    is_quiet_ = true;
    for (int i = 0; i < count; ++i) {
      PMPI_Comm_get_errhandler(raised_on(i), &handlers_[i]);
      PMPI_Comm_set_errhandler(raised_on(i), MPI_ERRORS_RETURN);
    }
  }
  QuietErrors(QuietErrors const&) = delete;
  QuietErrors& operator=(QuietErrors const&) = delete;
  ~QuietErrors() {
    if (!is_quiet_) return;
    for (int i = 0; i < count; ++i) {
      PMPI_Comm_set_errhandler(raised_on(i), handlers_[i]);
      PMPI_Errhandler_free(&handlers_[i]);
    }
    mutex.unlock();
  }

  // False in a program that only uses sessions, which lacks these communicators.
  explicit operator bool() const { return is_quiet_; }

 private:
  static constexpr int count = 2;
  static MPI_Comm raised_on(int i) { return i == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF; }

  inline static constinit std::mutex mutex;
  bool is_quiet_ = false;
  MPI_Errhandler handlers_[count];
};

}  // namespace commprof
