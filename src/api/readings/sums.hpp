// What this process has counted so far, for the program to read while it runs: summed up from the records of all
// threads, while they go on counting.
//
// sums.hpp adds up and knows no MPI; members.hpp tells the peers of a communicator apart; readings.cpp has the
// functions of commprof.h. The variables of src/api/mpi_t stand on the same sums.
//
// Nothing is locked that a thread needs to count, and nothing is written: a call that is being counted may be in a
// reading in part, and is in the next one wholly.
#pragma once

#include <optional>

#include "counters/counters.hpp"

namespace commprof::readings {

struct CallSums {
  std::uint64_t calls = 0;
  Volume bytes;
  Ticks time;

  CallSums& operator+=(CallSums const& other);
  CallSums& operator-=(CallSums const& other);
};

struct MessageSums {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  MessageSums& operator+=(MessageSums const& other);
  MessageSums& operator-=(MessageSums const& other);
};

// What was counted until a moment, of each record: later sums can leave it out. Records never move and are only ever
// added, so what each held is found by its place. Callers serialise what they do with one baseline.
class Baseline {
 public:
  Baseline() = default;
  Baseline(Baseline const&) = delete;
  Baseline& operator=(Baseline const&) = delete;

  // The moment is now. False when memory is used up; the sums are then those since the beginning.
  bool take();

  struct OfShard;
  OfShard* of(Shard const& shard) const;

 private:
  OfShard* first_ = nullptr;  // one for each thread's shard, kept for ever as those are
};

// The calls on a communicator, of one operation or of all; baseline: nullptr for those since the beginning.
CallSums calls_on(CommIndex comm, std::optional<Op> op, Baseline const* baseline = nullptr);

// The messages that were sent point-to-point on a communicator: calls visit(context, peer, sums), with one peer perhaps
// several times.
using VisitPeer = void (*)(void* context, Peer peer, MessageSums const& sums);
void visit_messages(CommIndex comm, Baseline const* baseline, VisitPeer visit, void* context);

template <class Visitor>
void for_each_peer(CommIndex comm, Baseline const* baseline, Visitor&& visitor) {
  auto const visit = [](void* context, Peer peer, MessageSums const& sums) {
    (*static_cast<Visitor*>(context))(peer, sums);
  };
  visit_messages(comm, baseline, visit, &visitor);
}

}  // namespace commprof::readings
