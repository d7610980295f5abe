// The internal messages that a thread has sent within its current call.
#pragma once

#include <cstdint>

#include "base/memory.hpp"

namespace commprof {

namespace mpi_messages {

struct SentMessage {
  std::int32_t dest;  // rank in MPI_COMM_WORLD
  std::int32_t tag;
  std::uint64_t bytes;
  std::uint64_t comm;  // handle of the communicator that the message travels on, 0 if unknown; or its context
  std::uint64_t times = 1;

  bool is_like(SentMessage const& other) const {
    return dest == other.dest && tag == other.tag && bytes == other.bytes && comm == other.comm;
  }
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

// Whether messages are to be counted; the recorder may be called although they are not.
bool is_listening();
// The MPI sends a message, which may be an internal one.
void sent(SentMessage message);

// The transport reports the messages, with contexts in the place of communicators. Must be called before begin().
void are_told_by_transport();
// A message on MPI_COMM_WORLD for a nonblocking operation, before begin().
void heard_on_world(std::uint64_t context, int tag);

// Whether this MPI can be asked to report its messages: by an environment variable that is set while MPI_Init runs.
extern bool const can_ask_mpi;
void ask_mpi();
void leave_environment();

}  // namespace mpi_messages

struct InternalMessages {
  PageVector<mpi_messages::SentMessage> list;
};

}  // namespace commprof
