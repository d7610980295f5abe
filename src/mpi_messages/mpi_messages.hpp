// COMMPROF_INTERNAL=1: counts the messages that the MPI sends for collective operations.
//
// Open MPI's monitoring component calls a recorder for each message. The recorder is an exported function, so ours is
// called instead, and forwards to it (open_mpi.cpp). The message goes into a list of the calling thread; the wrapper of
// the call counts it for its own communicator and operation. Messages of a nonblocking collective may be sent within
// any later call; their tags identify them (operation_tags.hpp).
//
// For other MPIs, the functions of UCX that they send with report the messages (transport/transport.hpp). The tags of
// nonblocking collectives are brought into the form of Open MPI's.
#pragma once

#include "base/ids.hpp"
#include "mpi/mpi.hpp"

namespace commprof::mpi_messages {

// Must be called before PMPI_Init: asks the MPI to report its messages, if the user wants them.
void prepare();

// Messages sent between these calls, on MPI_COMM_WORLD only, show what the MPI reports, and how.
void begin_rehearsal();
void end_rehearsal();

// Must be called at the end of MPI_Init, after messages on MPI_COMM_WORLD. If the MPI does not report its messages,
// rank 0 prints a line and the option is switched off.
void begin(int rank, int ranks);

// Counts the messages sent within this thread's call as those of the operation on the communicator, except messages of
// nonblocking collectives. comm: MPI_COMM_NULL if the call does not have it. size: of the call.
void count_sent(CommIndex index, Op op, MPI_Comm comm, SizeBin size);
// Like count_sent(), for a call that completes requests or sends the program's messages, and sends nothing internal of
// its own.
void count_sent_meanwhile(CommIndex index, Op op);
// Counts the messages sent within the call as those of other operations.
void count_others_sent();

// A nonblocking collective was issued, or a persistent one prepared. creates: it creates a communicator.
void issued(MPI_Comm comm, CommIndex index, Op op, SizeBin size, bool creates);

// Must be called when a communicator has just been created.
void created(MPI_Comm comm);

}  // namespace commprof::mpi_messages
