// Sums what this process has counted so far, for the program to read while it runs: over the records of all threads,
// which go on counting meanwhile.
//
// readings.cpp has the functions of commprof.h. The variables of src/api/mpi_t use these sums, too.
//
// Reading takes no lock that a thread needs to count, and writes nothing. A call that is being counted may be included
// in part; the next reading includes it completely.
#pragma once

#include <optional>

#include "base/memory.hpp"
#include "comm_naming/comm_naming.hpp"
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

// The counts of each record at one moment, so that later sums can exclude them. Records never move and are only added,
// so a record is found by its place. Callers serialise all use of a baseline.
class Baseline {
 public:
  Baseline() = default;
  Baseline(Baseline const&) = delete;
  Baseline& operator=(Baseline const&) = delete;

  // Stores the counts of now. If memory is used up, returns false, and sums count from the beginning.
  bool take();

  struct OfShard;
  OfShard* of(Shard const& shard) const;

 private:
  LastingVector<OfShard*> by_number_;  // by the numbers of the shards, never freed, like these
};

// Sums the calls on a communicator, of one operation or of all. baseline: nullptr counts from the beginning.
CallSums calls_on(CommIndex comm, std::optional<Op> op, Baseline const* baseline = nullptr);

// Calls visit(context, peer, sums) for the point-to-point messages sent on a communicator. A peer may occur several
// times.
using VisitPeer = void (*)(void* context, Peer peer, MessageSums const& sums);
void visit_messages(CommIndex comm, Baseline const* baseline, VisitPeer visit, void* context);

template <class Visitor>
void for_each_peer(CommIndex comm, Baseline const* baseline, Visitor&& visitor) {
  auto const visit = [](void* context, Peer peer, MessageSums const& sums) {
    (*static_cast<Visitor*>(context))(peer, sums);
  };
  visit_messages(comm, baseline, visit, &visitor);
}

// The possible receivers of a communicator's messages: its own processes, or the remote group of an intercommunicator.
class Members {
 public:
  // Asks MPI once; afterwards the communicator may be freed. False if memory is used up.
  bool fill(MPI_Comm comm, CommIndex index);

  int size() const { return size_; }

  // The rank of a message's receiver in the communicator; -1 if it is not a member. It may belong to another
  // communicator that shares the record, or to another world.
  int rank_of(Peer peer) const;

 private:
  struct Member {
    WorldRank world_rank;
    int rank;
  };

  int size_ = 0;
  bool is_world_ = false;
  PageVector<Member> by_world_rank_;
};

}  // namespace commprof::readings
