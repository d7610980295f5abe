// Finds the communicator that a window was created from, by the window's handle; cached in the window as an attribute.
#pragma once

#include "base/ids.hpp"
#include "comm_naming/origins.hpp"
#include "mpi/mpi.hpp"

namespace commprof::windows {

// Must be called once, after PMPI_Init. False if MPI refuses an attribute key.
bool start();

// MPI has made a window from a communicator.
void created(MPI_Comm comm, MPI_Win win);

// The communicator of a valid window.
CommIndex of(MPI_Win win);

// The communicator of a window that may be invalid, looked up without asking MPI.
CommIndex of_doubtful(MPI_Win win);

// The communicator of a window that a call frees.
class Release {
 public:
  explicit Release(MPI_Win const* win);
  // Must be called after the call.
  CommIndex index(int result) const;

 private:
  Origins::Release release_;
};

}  // namespace commprof::windows
