// From a file's handle to the communicator that it was opened on. Files have no attributes, so there is a table of the
// open ones. Safe to call from any thread.
#pragma once

#include "base/ids.hpp"
#include "mpi/mpi.hpp"

namespace commprof::files {

void opened(MPI_Comm comm, MPI_File file);

// The communicator of an open file; CommIndex::self for an unknown file.
CommIndex of(MPI_File file);

// Remembers the communicator of a file that MPI is about to close.
class Release {
 public:
  explicit Release(MPI_File const* file);
  Release(Release const&) = delete;
  Release& operator=(Release const&) = delete;
  // After the call: the communicator; the file is forgotten if it was closed.
  CommIndex index(int result) const;

 private:
  MPI_File handle_;
};

}  // namespace commprof::files
