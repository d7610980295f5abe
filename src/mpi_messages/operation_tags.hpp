// Which nonblocking collective a message belongs to.
//
// Open MPI gives each nonblocking collective on a communicator a tag of its own, counting down, the same on all
// processes. So the tag of an operation is known by counting. Creating a communicator or a window takes tags, too;
// hence the count is put right by the messages that are seen.
//
// Knows no MPI. Callers serialise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/memory.hpp"

namespace commprof::mpi_messages {

// What a message was sent for.
struct Cause {
  CommIndex comm = CommIndex::unknown;
  Op op{};

  friend bool operator==(Cause, Cause) = default;
};

// The call within which a message was sent.
struct CallOnComm {
  Cause cause;
  std::uint64_t comm;    // the handle of its communicator; 0: none
  bool only_progresses;  // sends nothing of the MPI's own for itself
};

inline constexpr CallOnComm no_call{{}, 0, true};

class OperationTags {
 public:
  // Operations of a communicator that are remembered: one that is pending while so many further ones are issued on the
  // same communicator is not recognised any more.
  static constexpr std::size_t remembered = 256;

  // The tag of the first operation on a communicator.
  void set_first(int tag) { first_ = tag; }
  bool may_be_of_operation(int tag) const { return tag <= first_; }

  // An operation is issued on the communicator of this handle. takes_several: and takes further tags as it goes along.
  void issue(std::uint64_t comm, Cause cause, bool takes_several);

  // The next operation on the communicator is seen to have this tag, unless one that is remembered has it, or it is no
  // such tag.
  void expect(std::uint64_t comm, int tag);

  // What a message was sent for. comm: the handle of the communicator that it travels on; 0: not known, which may
  // mislead among communicators with pending operations of one tag.
  Cause cause_of(int tag, std::uint64_t comm, CallOnComm const& call);

  // The handle will stand for another communicator.
  void reset(std::uint64_t comm);

 private:
  struct Operation {
    int tag;  // 0: none
    Cause cause;
    std::uint64_t serial;  // ascending by issue
  };
  struct Sequence {
    std::uint64_t comm;
    int next;
    Cause taking_several;  // the last operation, if it takes further tags
    Sequence* following;
    Operation operations[remembered];

    Operation& at(int tag) { return operations[static_cast<unsigned>(-tag) % remembered]; }
    bool holds(int tag) { return at(tag).tag == tag; }
    // Whether the tag may be one that was taken without our knowing. Other tags of the MPI lie far off.
    bool may_come_next(int tag) const { return tag <= next && tag > next - 64; }
  };

  Sequence* find(std::uint64_t comm);
  Sequence* find_or_make(std::uint64_t comm);
  Operation const* latest(int tag);

  int first_ = -27;
  std::uint64_t issued_ = 0;
  Sequence* sequences_ = nullptr;  // the one used last comes first
};

}  // namespace commprof::mpi_messages
