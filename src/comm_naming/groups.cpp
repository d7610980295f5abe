#include "comm_naming/groups.hpp"

#include <climits>

#include "comm_naming/communicators.hpp"

namespace commprof::communicators {

MPI_Group world_group = MPI_GROUP_NULL;

int size_of(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  return size;
}

int smallest_rank(MPI_Group group, MPI_Group in) {
  int smallest = INT_MAX;
  bool are_all_there = true;
  for_each_translated(group, in, [&](int, int there) {
    smallest = std::min(smallest, there);
    are_all_there &= there != MPI_UNDEFINED;
  });
  return are_all_there ? smallest : MPI_UNDEFINED;
}

int first_of_this_world(MPI_Group group) {
  int found = size_of(group);
  for_each_translated(group, world_group, [&](int rank, int there) {
    if (there != MPI_UNDEFINED) found = std::min(found, rank);
  });
  return found;
}

WorldRank in_world(MPI_Group group, int rank) {
  int found = MPI_UNDEFINED;
  if (rank < 0 || rank >= size_of(group)) return WorldRank::elsewhere;
  PMPI_Group_translate_ranks(group, 1, &rank, world_group, &found);
  return found == MPI_UNDEFINED ? WorldRank::elsewhere : static_cast<WorldRank>(found);
}

Ranks world_ranks_of(MPI_Group group) {
  static Scratch scratch;
  auto const count = static_cast<std::size_t>(size_of(group));
  int* const room = scratch.room<int>(2 * count);
  if (room == nullptr) return {nullptr, 0};
  std::iota(room, room + count, 0);
  int* const ranks = room + count;
  PMPI_Group_translate_ranks(group, static_cast<int>(count), room, world_group, ranks);
  return {ranks, static_cast<std::size_t>(std::remove(ranks, ranks + count, MPI_UNDEFINED) - ranks)};
}

WorldRank world_rank(CommView const& comm, int rank) {
  if (comm.record.index == CommIndex::world && rank < comm.record.size) return static_cast<WorldRank>(rank);
  bool const is_inter = comm.is_inter();
  Groups const groups(comm.handle, is_inter);
  return in_world(is_inter ? groups.remote() : groups.local(), rank);
}

WorldRank world_rank(MPI_Win win, int rank) {
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Win_get_group(win, &group) != MPI_SUCCESS) return WorldRank::elsewhere;
  WorldRank const found = in_world(group, rank);
  PMPI_Group_free(&group);
  return found;
}

void world_ranks(MPI_Comm comm, bool is_inter, int size, WorldRank* ranks) {
  Groups const groups(comm, is_inter);
  for_each_translated(is_inter ? groups.remote() : groups.local(), world_group, [&](int rank, int there) {
    if (rank < size) ranks[rank] = there == MPI_UNDEFINED ? WorldRank::elsewhere : static_cast<WorldRank>(there);
  });
}

}  // namespace commprof::communicators
