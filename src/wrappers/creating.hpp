// Counts calls that make a communicator, or free one, and what was made from one.
#pragma once

#include "wrappers/issuing.hpp"

namespace commprof {

// Counts a creation call on its parent and gives the new communicator a record. With a request, the call only started.
void create(Call const& call, communicators::CreationCall const& creation, Place parent, MPI_Comm const* comm,
            RequestsOfCall request = nullptr);
void create(Call const& call, communicators::CreationCall const& creation, GivenComm parent, MPI_Comm const* comm,
            RequestsOfCall request = nullptr);

// Counts the release of a communicator, or of what was made from one, on the communicator's record.
void release(Call const& call, Op op, CommIndex index);

}  // namespace commprof
