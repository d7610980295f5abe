// From a window's handle to the communicator that it was made from, cached in the window as an attribute.
#pragma once

#include "base/ids.hpp"
#include "mpi/mpi.hpp"

namespace commprof::windows {

// To be called once, after PMPI_Init. False if MPI refuses an attribute key.
bool start();

// MPI has made a window from a communicator.
void created(MPI_Comm comm, MPI_Win win);

// The communicator of a window; unknown if the handle is null, as after a failed call.
CommIndex of(MPI_Win win);

// Reads the communicator of a window before the call that frees it.
class Release {
 public:
  explicit Release(MPI_Win const* win) : index_(win == nullptr ? CommIndex::unknown : of(*win)) {}
  CommIndex index(int) const { return index_; }

 private:
  CommIndex index_;
};

}  // namespace commprof::windows
