// For programs whose calls the counter judges: what they know themselves is whether MPI answered as it should.
#pragma once

#include <mpi.h>

// Reads what mpi.h has declared.
#include <commprof/commprof.h>

#include <cstdio>
#include <string>

namespace workload {

inline int failures = 0;

inline void require(bool condition, char const* what) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "%s\n", what);
}

// That the profile knows a communicator by this name.
inline void require_name(MPI_Comm comm, std::string const& expected) {
  char name[COMMPROF_MAX_NAME] = "";
  bool const is_known = commprof_comm_name(comm, name, sizeof name) == MPI_SUCCESS;
  if (!is_known || name != expected) require(false, (expected + " has the name " + name).c_str());
}

// A ring of all processes of a communicator.
struct Ring {
  MPI_Comm handle;
  int rank = 0, size = 0;

  explicit Ring(MPI_Comm comm) : handle(comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
};

// All processes in reverse order, so that ranks differ from those in the world, except in the middle.
inline MPI_Comm reversed() {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -Ring(MPI_COMM_WORLD).rank, &comm);
  return comm;
}

inline int finish() {
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}

}  // namespace workload
