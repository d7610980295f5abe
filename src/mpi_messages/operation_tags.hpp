// Which operation a message that the MPI sends belongs to, from what the message carries.
//
// Open MPI's recorder tells tag and communicator. A message of UCX or libfabric has both in its 64 bits, where
// TagLayout finds them. OperationTags finds the nonblocking collective.
//
// Knows no MPI. Callers serialise.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/index.hpp"

namespace commprof::mpi_messages {

// The tags of messages that a process has sent on one communicator.
struct HeardTags {
  std::uint64_t with_tag_0 = 0, with_tag_1 = 0, with_largest_tag = 0;  // of the program's kind
  std::uint64_t first_nonblocking = 0, second_nonblocking = 0;         // of the first two nonblocking collectives
  std::uint64_t blocking = 0, not_blocking = 0;  // all bits that are set, or not set, in one of a blocking collective
  std::uint64_t on_world = 0;                    // of the latest nonblocking collective on MPI_COMM_WORLD
};

// What an MPI puts into the 64-bit tags of UCX: a communicator, the sender's rank, and the tag of the MPI. Each MPI and
// release has a layout of its own, so it is learned from a few messages at the end of MPI_Init.
class TagLayout {
 public:
  // What one process has learned, as bits that all processes combine with a bitwise or.
  static constexpr std::size_t words = 16;
  using Lesson = std::array<std::uint64_t, words>;
  // All bits are zero if these are not the tags of an MPI that the profiler understands.
  static Lesson lesson_of(HeardTags const& heard);

  TagLayout() = default;
  // is_known() is false if no process has learned anything, or if some have learned different things.
  explicit TagLayout(Lesson const& combined);

  bool is_known() const { return collective_bit_ != 0; }
  // Whether the MPI sends the message for a collective.
  bool is_internal(std::uint64_t tag) const { return (tag & collective_bit_) != 0; }
  // The tag as the MPI has numbered it: 0 for the first nonblocking collective on a communicator, 1 for the next;
  // negative for blocking ones.
  std::int64_t number(std::uint64_t tag) const {
    auto const number = static_cast<std::int64_t>((tag & tag_mask_) >> std::countr_zero(tag_mask_)) - first_;
    return is_descending_ ? -number : number;
  }
  // Tells the communicators of a process apart. Not 0.
  std::uint64_t context(std::uint64_t tag) const { return tag | ~context_mask_; }

 private:
  std::uint64_t tag_mask_ = 0, collective_bit_ = 0, context_mask_ = 0;
  std::int64_t first_ = 0;
  bool is_descending_ = false;
};

// The operation that a message was sent for.
struct Cause {
  CommIndex comm = CommIndex::unknown;
  Op op{};
  SizeBin size = no_size;  // of the call

  friend bool operator==(Cause, Cause) = default;
};

// The call within which a message was sent.
struct CallOnComm {
  Cause cause;
  std::uint64_t comm;    // its communicator; 0 if it has none
  bool only_progresses;  // the call sends no internal messages of its own
};

inline constexpr CallOnComm no_call{{}, 0, true};

// Finds the communicator and the nonblocking collective that a message belongs to.
//
// Open MPI gives each nonblocking collective on a communicator a tag of its own, counting down, equal on all processes.
// So counting the operations gives their tags. Creating a communicator or a window also takes tags; therefore the count
// is corrected by the messages that are seen.
//
// A communicator is told by its handle or, where messages of UCX or libfabric are seen, by a number of the MPI, its
// context, which they carry.
class OperationTags {
 public:
  // The number of operations remembered for each communicator. An operation is forgotten when this many later ones have
  // been issued on the communicator.
  static constexpr std::size_t remembered = 256;
  // Further communicators are not remembered.
  static constexpr std::size_t most_comms = 1024;

  // Sets the tag of the first operation on each communicator.
  void set_first(int tag) { first_ = tag; }
  bool may_be_of_operation(int tag) const { return tag <= first_; }

  // An operation was issued on the communicator.
  void issue(std::uint64_t comm, Cause cause);

  // A message shows that the next operation on the communicator has this tag. Ignored if a remembered operation has the
  // tag, or if it cannot be such a tag.
  void expect(std::uint64_t comm, int tag);

  // The operation that a message was sent for. comm: the communicator that it travels on; 0 if unknown: that of the
  // call.
  Cause cause_of(int tag, std::uint64_t comm, CallOnComm const& call);

  // The handle or context denotes another communicator from now on.
  void reset(std::uint64_t comm);

 private:
  struct Operation {
    int tag;  // 0: free
    Cause cause;
  };
  struct Sequence {
    int next;
    Operation operations[remembered];

    Operation& at(int tag) { return operations[static_cast<unsigned>(-tag) % remembered]; }
    bool holds(int tag) { return at(tag).tag == tag; }
    // Whether the tag may have been taken unseen. Other tags of the MPI are far away.
    bool may_come_next(int tag) const { return tag <= next && tag > next - 64; }
  };

  Sequence* find(std::uint64_t comm) const;
  Sequence* find_or_make(std::uint64_t comm);

  int first_ = -27;
  Index<std::uint64_t, Sequence*> sequences_;  // by communicator
};

}  // namespace commprof::mpi_messages
