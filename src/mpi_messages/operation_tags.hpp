// Finds the nonblocking collective that a message belongs to.
//
// Open MPI gives each nonblocking collective on a communicator a tag of its own, counting down, equal on all processes.
// So counting the operations gives their tags. Creating a communicator or a window also takes tags; therefore the count
// is corrected by the messages that are seen.
//
// Knows no MPI. Callers serialise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/memory.hpp"

namespace commprof::mpi_messages {

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
  std::uint64_t comm;    // handle of its communicator; 0 if it has none
  bool only_progresses;  // the call sends no internal messages of its own
};

inline constexpr CallOnComm no_call{{}, 0, true};

class OperationTags {
 public:
  // The number of operations remembered for each communicator. An operation is forgotten when this many later ones have
  // been issued on the communicator.
  static constexpr std::size_t remembered = 256;
  // Communicators are forgotten, too, if so many others have been used since.
  static constexpr std::size_t most_comms = 1024;

  // Sets the tag of the first operation on each communicator.
  void set_first(int tag) { first_ = tag; }
  bool may_be_of_operation(int tag) const { return tag <= first_; }

  // An operation was issued on the communicator with this handle. takes_several: it will take further tags.
  void issue(std::uint64_t comm, Cause cause, bool takes_several);

  // A message shows that the next operation on the communicator has this tag. Ignored if a remembered operation has the
  // tag, or if it cannot be such a tag.
  void expect(std::uint64_t comm, int tag);

  // The operation that a message was sent for. comm: handle of the communicator that it travels on; 0 if unknown, which
  // may confuse communicators with pending operations of equal tags.
  Cause cause_of(int tag, std::uint64_t comm, CallOnComm const& call);

  // The communicator with an operation of this tag, among those for which may_be(comm) holds; 0 if there are several or
  // none, or too many communicators to look at.
  template <class MayBe>
  std::uint64_t only_comm_with(int tag, MayBe&& may_be) const {
    std::uint64_t found = 0;
    if (count_ > most_to_search) return 0;
    for (Sequence* sequence = first_used_; sequence != nullptr; sequence = sequence->following) {
      if (!sequence->holds(tag) || !may_be(sequence->comm)) continue;
      if (found != 0) return 0;
      found = sequence->comm;
    }
    return found;
  }

  // The handle will denote another communicator.
  void reset(std::uint64_t comm);

 private:
  struct Operation {
    int tag;  // 0: free
    Cause cause;
    std::uint64_t serial;  // increases with each operation issued
  };
  struct Sequence {
    std::uint64_t comm;
    int next;
    Cause taking_several;          // the last operation, if it takes further tags
    Sequence *following, *before;  // in the order of use
    Sequence* next_of_bucket;
    Operation operations[remembered];

    Operation& at(int tag) { return operations[static_cast<unsigned>(-tag) % remembered]; }
    bool holds(int tag) { return at(tag).tag == tag; }
    // Whether the tag may have been taken unseen. Other tags of the MPI are far away.
    bool may_come_next(int tag) const { return tag <= next && tag > next - 64; }
  };

  static constexpr std::size_t most_to_search = 64;

  Sequence*& bucket_of(std::uint64_t comm) { return buckets_[comm * 0x9E3779B97F4A7C15ULL >> 32 & (most_comms - 1)]; }
  void put_first(Sequence& sequence);
  void take_out(Sequence& sequence);
  Sequence* new_sequence();
  Sequence* find(std::uint64_t comm);
  Sequence* find_or_make(std::uint64_t comm);
  Operation const* latest(int tag);

  int first_ = -27;
  std::uint64_t issued_ = 0;
  Sequence* buckets_[most_comms]{};
  Sequence *first_used_ = nullptr, *last_used_ = nullptr;  // most recently used first
  std::size_t count_ = 0;
};

}  // namespace commprof::mpi_messages
