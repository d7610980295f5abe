// Agreement of the members of a new communicator by messages, if the creation call is not collective over the parent.
#pragma once

#include "comm_naming/registry.hpp"
#include "mpi/mpi.hpp"

namespace commprof::communicators {

// The ordinal of a creation that is collective over the new group only. The member with the smallest rank in the parent
// counts the groups that it has led, and broadcasts its count. Its rank and this count make the name unique.
std::uint32_t agreed_ordinal(Communicator& parent, MPI_Comm parent_handle, MPI_Comm comm);

// The lead side of an intercommunicator of two parents sends its name to the other side; without a record, an empty
// one. Returns the index of the record with that name. Between worlds nothing is sent.
CommIndex agree_on_name(CommIndex index, MPI_Comm comm, Communicator const& described);

}  // namespace commprof::communicators
