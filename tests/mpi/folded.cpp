// Communicators beyond a limit share one record for each letter, equally on all members: with COMMPROF_MAX_COMMS those
// beyond that number of children, and in any case those nested deeper than 64 levels.
#include <cstdlib>
#include <vector>

#include "workload.hpp"

using workload::require_name;
using workload::Ring;

namespace {

// Calls that depend on the rank: on the root, and on the last process.
void use(MPI_Comm comm, std::string const& name) {
  require_name(comm, name);
  int value = 0, sum = 0;
  MPI_Bcast(&value, 1, MPI_INT, Ring(comm).size - 1, comm);
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
}

void duplicate(MPI_Comm parent, std::string const& name, int limit) {
  for (int i = 1; i <= limit + limit / 2 + 1; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(parent, &comm);
    use(comm, name + (i <= limit ? "_d" + std::to_string(i) : "_d*"));
    MPI_Comm_free(&comm);
  }
}

// Creates children of a parent beyond its limit: each letter has one record, in which this process has several ranks.
void beyond(MPI_Comm parent, std::string const& name) {
  MPI_Comm half, reversed, dup, of_folded;
  int const rank = Ring(parent).rank;
  std::string const splits = name + "_s*", dups = name + "_d*";
  MPI_Comm_split(parent, rank % 2, 0, &half), use(half, splits);
  MPI_Comm_split(parent, 0, -rank, &reversed), use(reversed, splits);
  MPI_Comm_dup(parent, &dup), use(dup, dups);
  // The children of a folded communicator are folded into the same few records.
  MPI_Comm_dup(half, &of_folded), use(of_folded, dups);
  MPI_Comm_split(dup, rank % 2, 0, &of_folded), use(of_folded, splits);
  MPI_Comm_split(of_folded, 0, 0, &of_folded), use(of_folded, splits);
  // A freed handle is invalid although its record lives on.
  commprof_numbers numbers{7, 7, 7, 7};
  MPI_Comm const gone = dup;
  MPI_Comm_free(&dup);
  workload::require(commprof_read(gone, nullptr, &numbers, sizeof numbers) == MPI_ERR_COMM && numbers.calls == 7,
                    "a freed communicator is read");
}

// Volumes depend on the groups of each intercommunicator, which the shared record does not have.
void between_groups(int limit) {
  Ring const world(MPI_COMM_WORLD);
  bool const is_odd = world.rank % 2 == 1;
  int const remote_size = is_odd ? (world.size + 1) / 2 : world.size / 2;
  constexpr int count = 3;
  MPI_Comm half, both, merged;
  MPI_Comm_split(MPI_COMM_WORLD, is_odd ? 1 : 0, world.rank, &half);
  for (int i = 1; i <= limit + 4; ++i) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_odd ? 0 : 1, 9, &both);
    if (i > limit) require_name(both, "W_i*");
    std::vector<int> out(static_cast<std::size_t>(count * remote_size)), in(out.size());
    MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, both);
    // From the first even process to the odd ones, and back.
    int const root = is_odd ? 0 : world.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(out.data(), count, MPI_INT, root, both);
    MPI_Reduce(out.data(), in.data(), count, MPI_INT, MPI_SUM, root, both);
    int const peer = world.rank / 2 % remote_size;
    if (world.rank / 2 < remote_size)
      MPI_Sendrecv_replace(out.data(), i, MPI_INT, peer, 1, peer, 1, both, MPI_STATUS_IGNORE);
    // Communicators created from a folded one are folded, too, on both sides.
    MPI_Intercomm_merge(both, is_odd ? 1 : 0, &merged);
    if (i > limit) require_name(merged, "W_m*");
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
  }
}

void nest() {
  constexpr int deepest = 64, levels = 70;
  MPI_Comm comm = MPI_COMM_SELF;
  std::string name = "SELF";
  for (int level = 1; level <= levels; ++level) {
    MPI_Comm_dup(comm, &comm);
    if (level <= deepest) name += "_d1";
    if (level == deepest + 1) name += "_d*";
    require_name(comm, name);
    MPI_Barrier(comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char const* const option = std::getenv("COMMPROF_MAX_COMMS");
  int const limit = option == nullptr ? 1000 : std::atoi(option);
  // With the option, the process of rank 0 in the parent, which knows the members, is the last one of the world.
  MPI_Comm const parent = option == nullptr ? MPI_COMM_WORLD : workload::reversed();
  duplicate(parent, option == nullptr ? "W" : "W_s1.0", limit);
  beyond(parent, option == nullptr ? "W" : "W_s1.0");
  if (option != nullptr && Ring(MPI_COMM_WORLD).size > 1) between_groups(limit);
  nest();
  return workload::finish();
}
