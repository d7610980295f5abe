// Counts calls that make or free a communicator, or an object made from one, such as a window or a file.
#pragma once

#include "wrappers/issuing.hpp"

namespace commprof {

// Counts a creation call on its parent and gives the new communicator a record. request: only for a nonblocking call.
void create(Call const& call, communicators::CreationCall const& creation, CountedComm parent, MPI_Comm const* comm,
            RequestsOfCall request = nullptr);
void create(Call const& call, communicators::CreationCall const& creation, GivenComm parent, MPI_Comm const* comm,
            RequestsOfCall request = nullptr);

// Counts the release of a communicator, or of an object made from it, on the communicator's record.
void release(Call const& call, Op op, CommIndex index);

}  // namespace commprof
