// COMMPROF_INTERNAL=1: collectives taken apart into the messages that the MPI really sends for them.
//
// Open MPI's monitoring component calls a recorder for each message. The recorder is an exported function, so ours is
// called in its place, and hands on to it (open_mpi.cpp). The message goes to a list of the calling thread, which the
// wrapper around it counts for its own communicator and operation. Messages of a nonblocking collective may go out
// within any later call; they are recognised by their tag (operation_tags.hpp).
//
// Other MPIs tell nothing of their messages.
#pragma once

#include "base/ids.hpp"
#include "mpi/mpi.hpp"

namespace commprof::mpi_messages {

// Before PMPI_Init: asks the MPI to tell of its messages, if the user wants them.
void prepare();

// What is sent from now on until begin(), on MPI_COMM_WORLD alone, shows what the MPI tells, and how.
void begin_rehearsal();

// At the end of MPI_Init, when messages have been exchanged on MPI_COMM_WORLD. Where the MPI does not tell of its
// messages, rank 0 says so and the option is off.
void begin(int rank, int ranks);

// The call of this thread counts as the operation on the communicator, and so do the messages that were sent within it,
// but for those of nonblocking collectives. comm: MPI_COMM_NULL where the call does not have it.
void count_sent(CommIndex index, Op op, MPI_Comm comm);
// The same for a call that completes requests or sends what the program wants sent, and nothing internal for itself.
void count_sent_meanwhile(CommIndex index, Op op);
// What was sent within the call was not sent for it.
void count_others_sent();

// A nonblocking collective is issued, or a persistent one is prepared. creates: makes a communicator.
void issued(MPI_Comm comm, CommIndex index, Op op, bool creates);

// The communicator has just been made.
void created(MPI_Comm comm);

}  // namespace commprof::mpi_messages
