// What the MPI gives to UCX or libfabric, its transport: messages, puts and gets.
//
// With COMMPROF_TRANSPORT=1, all of it counts as messages of the class network, by pair of processes.
// With COMMPROF_INTERNAL=1 and an MPI that does not report its messages itself, messages that it sends for collectives
// are recognised by their tags (tag_layout.hpp) and passed to mpi_messages.
//
// The front has jumps for the functions of UCX and libfabric, which lead to the next definition until prepare() asks
// for them (ucx.cpp, ofi.cpp).
#pragma once

#include "mpi/mpi.hpp"

namespace commprof::transport {

// Must be called before PMPI_Init: begins to observe UCX if the user's options need it.
void prepare();

// Whether UCX is observed. Processes agree on it before begin().
bool is_observed();

// Messages sent between these calls are those that make the comm of begin() out of MPI_COMM_WORLD.
void begin_rehearsal();
void end_rehearsal();

// Collective over comm, a duplicate of MPI_COMM_WORLD that nobody else uses: finds out which worker is whose, and what
// the MPI puts into tags.
void begin(MPI_Comm comm, int rank, int ranks);
// In place of begin(): nothing is observed.
void leave(int rank);

}  // namespace commprof::transport
