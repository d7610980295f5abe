// What the members of a new communicator have to agree on by a message, where the creation call is not collective over
// the parent.
#pragma once

#include "comm_naming/registry.hpp"
#include "mpi/mpi.hpp"

namespace commprof::communicators {

// The next ordinal of a creation that is collective over the new group only: that of the member with the smallest rank
// in the parent, whose own count of the groups it has led makes the name unique.
std::uint32_t agreed_ordinal(Communicator& parent, MPI_Comm parent_handle, MPI_Comm comm);

// The leading side of an intercommunicator of two parents tells the other its name: an empty one if there is no record
// that would have it. Between worlds nothing need be agreed.
CommIndex agree_on_name(CommIndex index, MPI_Comm comm, Communicator const& described);

}  // namespace commprof::communicators
