// Creates the records of communicators, whether their creation call was seen or not.
#pragma once

#include "comm_naming/communicators.hpp"

namespace commprof::communicators {

// Counts a call on its parent, and returns the record of the communicator that it has made; nullptr if it made none, or
// there is no memory. comm: MPI_COMM_NULL if this process is not a member.
Communicator* add_created(CreationCall const& call, CommIndex parent, MPI_Comm parent_handle, MPI_Comm comm);

// Adds a communicator whose creation call was not seen. The name has the group and the number of such communicators of
// that group so far. Except in contrived programs, all members see them in the same order and so agree on the names
// without a message.
CommIndex add_foreign(MPI_Comm comm);

}  // namespace commprof::communicators
