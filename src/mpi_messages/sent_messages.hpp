// The internal messages that a thread has sent within the call that it is in.
#pragma once

#include <cstdint>

#include "base/memory.hpp"

namespace commprof {

namespace mpi_messages {

struct SentMessage {
  std::int32_t dest;  // in MPI_COMM_WORLD
  std::int32_t tag;
  std::uint64_t bytes;
  std::uint64_t comm;  // the handle of the communicator that it travels on; 0: not known
  std::uint64_t times = 1;

  bool is_like(SentMessage const& other) const {
    return dest == other.dest && tag == other.tag && bytes == other.bytes && comm == other.comm;
  }
};

// Of the tags that the MPI uses itself, all below zero, those of nonblocking collectives are no larger than this.
inline constexpr int largest_operation_tag = -27;
// Recorded in place of the tag of a message that was prepared and then started: by the program, or within a collective.
inline constexpr int tag_of_started = 1;

// Whether messages are wanted; the recorder may be called without.
bool is_listening();
// The MPI sends a message that may be one of its own.
void sent(SentMessage message);

// Whether there is a way to have this MPI tell of its messages: a variable of the environment, set while MPI_Init runs.
extern bool const can_ask_mpi;
void ask_mpi();
void leave_environment();

}  // namespace mpi_messages

struct InternalMessages {
  PageVector<mpi_messages::SentMessage> list;
};

}  // namespace commprof
