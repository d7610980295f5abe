// COMMPROF_INTERNAL=1: counts the messages that the MPI sends for collective operations, as Open MPI's recorder or the
// transport tells of them: see docs/design.md, "Internal messages". They go into a list of the calling thread; the
// wrapper of the call counts it.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "base/memory.hpp"
#include "mpi/mpi.hpp"

namespace commprof::mpi_messages {

// Must be called before PMPI_Init: asks the MPI to report its messages, if the user wants them.
void prepare();

// While it is set, messages on MPI_COMM_WORLD only show what the MPI or its transport reports, and how.
inline bool is_in_rehearsal = false;

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

// A nonblocking collective was issued, or a persistent one prepared.
void issued(MPI_Comm comm, CommIndex index, Op op, SizeBin size);

// Must be called when a communicator has just been created. is_complete: the program may use it already.
void created(MPI_Comm comm, bool is_complete);

// What reports the messages: Open MPI's recorder, or transport.cpp.

struct SentMessage {
  std::int32_t dest;  // rank in MPI_COMM_WORLD
  std::int32_t tag;
  std::uint64_t bytes;
  std::uint64_t comm;  // handle of the communicator that the message travels on, 0 if unknown; or its context
};

// The MPI's own tags are negative; the tags of nonblocking collectives are at most this one.
inline constexpr int largest_operation_tag = -27;
// The tag that a message of the transport gets. number: that of a nonblocking collective on its communicator, from 0;
// negative: of a blocking one.
constexpr int operation_tag(std::int64_t number) {
  return number < 0 ? -1 : largest_operation_tag - static_cast<int>(number);
}
// Recorded in place of the tag of a message that was prepared and then started, by the program or within a collective.
inline constexpr int tag_of_started = 1;

// The MPI sends a message, which may be an internal one.
void sent(SentMessage message);

// The transport reports the messages, with contexts in the place of communicators, and Open MPI's recorder is not
// listened to. Must be called before begin(). tells_context: finds a communicator's context, 0 if it cannot. last_tag:
// of the latest nonblocking operation on MPI_COMM_WORLD.
void are_told_by_transport(std::uint64_t (*tells_context)(MPI_Comm), int last_tag);

// Removes the variable: the program's child processes must not inherit it.
void leave_environment();

}  // namespace commprof::mpi_messages

namespace commprof {

// The internal messages that a thread has sent within its current call.
struct InternalMessages {
  PageVector<mpi_messages::SentMessage> list;
};

}  // namespace commprof
