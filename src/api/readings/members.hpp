// The possible receivers of a communicator's messages: its own processes, or the remote group of an intercommunicator.
#pragma once

#include "api/readings/sums.hpp"
#include "base/memory.hpp"
#include "comm_naming/comm_naming.hpp"

namespace commprof::readings {

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
