// Groups of processes: translates ranks from one group to another and to the world.
#pragma once

#include <algorithm>
#include <numeric>

#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"

namespace commprof::communicators {

// All processes of this world. It is never freed.
extern MPI_Group world_group;

int size_of(MPI_Group group);

// Calls visit(rank, rank_in_other) for each rank of a group, in order. Allocates nothing, so that a process without
// memory names communicators as the others do.
template <class Visitor>
void for_each_translated(MPI_Group group, MPI_Group into, Visitor&& visit) {
  constexpr int at_once = 256;
  int const size = size_of(group);
  for (int first = 0; first < size; first += at_once) {
    int here[at_once], there[at_once];
    int const count = std::min(at_once, size - first);
    std::iota(here, here + count, first);
    PMPI_Group_translate_ranks(group, count, here, into, there);
    for (int i = 0; i < count; ++i) visit(here[i], there[i]);
  }
}

// The smallest rank that a member of the group has in another group. MPI_UNDEFINED if a member has none there; the
// other group then belongs to another world.
int smallest_rank(MPI_Group group, MPI_Group in);

// The group's first rank that belongs to this world.
int first_of_this_world(MPI_Group group);

// The world rank of a member.
WorldRank in_world(MPI_Group group, int rank);

// The world ranks of the members, in the order of the group and without processes of other worlds. The next call
// overwrites them. The caller holds the registry's mutex. data: nullptr when memory is used up.
struct Ranks {
  int* data;
  std::size_t count;
};
Ranks world_ranks_of(MPI_Group group);

// The groups of a communicator. Frees them in the destructor.
class Groups {
 public:
  // comm: MPI_COMM_NULL stands for the world.
  Groups(MPI_Comm comm, bool is_inter) : local_(world_group), is_world_(comm == MPI_COMM_NULL) {
    if (is_world_) return;
    PMPI_Comm_group(comm, &local_);
    if (is_inter) PMPI_Comm_remote_group(comm, &remote_);
  }
  Groups(Groups const&) = delete;
  Groups& operator=(Groups const&) = delete;
  ~Groups() {
    if (!is_world_) PMPI_Group_free(&local_);
    if (remote_ != MPI_GROUP_NULL) PMPI_Group_free(&remote_);
  }
  MPI_Group local() const { return local_; }
  MPI_Group remote() const { return remote_; }
  // The lead side's group of an intercommunicator; the only group otherwise.
  MPI_Group lead(bool is_lead_side) const { return is_lead_side || remote_ == MPI_GROUP_NULL ? local_ : remote_; }

 private:
  MPI_Group local_;
  MPI_Group remote_ = MPI_GROUP_NULL;
  bool is_world_;
};

}  // namespace commprof::communicators
