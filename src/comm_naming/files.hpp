// Finds the communicator that a file was opened on, by the file's handle. Files have no attributes, so there is a table
// of open files. Any thread may call these functions.
#pragma once

#include "base/ids.hpp"
#include "comm_naming/origins.hpp"
#include "mpi/mpi.hpp"

namespace commprof::files {

void opened(MPI_Comm comm, MPI_File file);

// The communicator of an open file; CommIndex::self for an unknown file.
CommIndex of(MPI_File file);

// The communicator of a file that a call closes.
class Release {
 public:
  explicit Release(MPI_File const* file);
  // Must be called after the call.
  CommIndex index(int result) const;

 private:
  Origins::Release release_;
};

}  // namespace commprof::files
