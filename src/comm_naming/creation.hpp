// Records of communicators as they appear: under their parents, or without a creation call that was seen.
#pragma once

#include "comm_naming/communicators.hpp"

namespace commprof::communicators {

// The record of what a creation call has made, nullptr if it made nothing or there is no record. Members of the
// communicator that have no memory for a record take part in what is agreed on. comm: MPI_COMM_NULL if the call gave
// this process nothing.
Communicator* add_created(CreationCall const& call, CommIndex parent, MPI_Comm parent_handle, MPI_Comm comm);

// A communicator that appears without a creation call that was seen. Members meet such communicators of one group in
// the same order in all but contrived programs, so they agree on the name without a message.
CommIndex add_foreign(MPI_Comm comm);

}  // namespace commprof::communicators
