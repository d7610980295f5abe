// Programs that create communicators without end: children beyond the limit share one record for each letter, equally
// on all members. The limit is COMMPROF_MAX_COMMS, as the environment sets it, or 1000.
#include <cstdlib>

#include "workload.hpp"

using workload::Ring;

namespace {

// Calls that depend on the rank: on the root, and on the last process.
void use(MPI_Comm comm, std::string const& name) {
  workload::require_name(comm, name);
  int value = 0, sum = 0;
  MPI_Bcast(&value, 1, MPI_INT, Ring(comm).size - 1, comm);
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
}

void duplicate(MPI_Comm parent, std::string const& name, int limit) {
  for (int i = 1; i <= limit + limit / 2; ++i) {
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
  MPI_Comm_split(parent, rank % 2, 0, &half);
  MPI_Comm_split(parent, 0, -rank, &reversed);
  MPI_Comm_dup(parent, &dup);
  use(half, splits);
  use(reversed, splits);
  use(dup, dups);
  // The children of a folded communicator are folded into the same few records.
  MPI_Comm_dup(half, &of_folded);
  use(of_folded, dups);
  MPI_Comm_split(dup, rank % 2, 0, &of_folded);
  use(of_folded, splits);
  MPI_Comm_split(of_folded, 0, 0, &of_folded);
  use(of_folded, splits);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char const* const option = std::getenv("COMMPROF_MAX_COMMS");
  int const limit = option == nullptr ? 1000 : std::atoi(option);
  // With the option, the process of rank 0 in the parent, which knows the members, is the last one of the world.
  MPI_Comm const parent = option == nullptr ? MPI_COMM_WORLD : workload::reversed();
  std::string const name = option == nullptr ? "W" : "W_s1.0";
  duplicate(parent, name, limit);
  beyond(parent, name);
  return workload::finish();
}
