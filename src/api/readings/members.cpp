#include "api/readings/members.hpp"

#include <algorithm>

namespace commprof::readings {

bool Members::fill(MPI_Comm comm, CommIndex index) {
  is_world_ = index == CommIndex::world;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) PMPI_Comm_remote_size(comm, &size_);
  else PMPI_Comm_size(comm, &size_);
  if (is_world_) return true;
  Scratch scratch;
  WorldRank* const world_ranks = scratch.room<WorldRank>(static_cast<std::size_t>(size_));
  bool fits = world_ranks != nullptr;
  if (fits) communicators::world_ranks(comm, is_inter != 0, size_, world_ranks);
  for (int rank = 0; fits && rank < size_; ++rank)
    if (world_ranks[rank] != WorldRank::elsewhere) fits = by_world_rank_.push_back({world_ranks[rank], rank});
  scratch.release();
  std::sort(by_world_rank_.begin(), by_world_rank_.end(),
            [](Member a, Member b) { return a.world_rank < b.world_rank; });
  return fits;
}

int Members::rank_of(Peer peer) const {
  int const rank = peer.rank();
  if (!peer.is_in_world() || is_world_) return rank < size_ ? rank : -1;
  auto const wanted = static_cast<WorldRank>(rank);
  Member const* const place =
      std::lower_bound(by_world_rank_.begin(), by_world_rank_.end(), wanted,
                       [](Member member, WorldRank world_rank) { return member.world_rank < world_rank; });
  return place != by_world_rank_.end() && place->world_rank == wanted ? place->rank : -1;
}

}  // namespace commprof::readings
