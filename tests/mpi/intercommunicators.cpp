// Intercommunicators: their collectives move data only from one group to the other. Their names contain both groups, so
// that both sides form the same names, also for communicators created from them.
#include <string>
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

struct Program {
  MPI_Comm inter;
  bool is_below;
  int rank = 0;
  std::vector<int> out = std::vector<int>(100), in = std::vector<int>(100);

  // From or to process 0 of the lower group.
  void rooted(int count) {
    int const root = !is_below ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(out.data(), count, MPI_INT, root, inter);
    MPI_Gather(out.data(), count, MPI_INT, in.data(), count, MPI_INT, root, inter);
    MPI_Scatter(out.data(), count, MPI_INT, in.data(), count, MPI_INT, root, inter);
    MPI_Reduce(out.data(), in.data(), count, MPI_INT, MPI_SUM, root, inter);
  }

  void symmetric(int count) {
    MPI_Barrier(inter);
    MPI_Allgather(out.data(), count, MPI_INT, in.data(), count, MPI_INT, inter);
    MPI_Allreduce(out.data(), in.data(), count, MPI_INT, MPI_SUM, inter);
    MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, inter);
  }

  // Ranks belong to the other group.
  void point_to_point(int count) {
    if (rank != 0) return;
    MPI_Sendrecv(out.data(), count, MPI_INT, 0, 0, in.data(), 100, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ring const world(MPI_COMM_WORLD);
  int const half = world.size / 2;
  bool const is_below = world.rank < half;
  auto const range = [](int first, int last) {
    return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
  };
  MPI_Comm local, inter, dup, part, merged;
  MPI_Comm_split(MPI_COMM_WORLD, is_below ? 0 : 1, 0, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, is_below ? half : 0, 5, &inter);
  std::string const name = "W_i1." + range(0, half - 1) + "." + range(half, world.size - 1) + ".t5";
  workload::require_name(inter, name);
  MPI_Comm_dup(inter, &dup);
  workload::require_name(dup, name + "_d1");
  for (MPI_Comm const comm : {inter, dup}) {
    Program program{comm, is_below};
    MPI_Comm_rank(comm, &program.rank);
    for (int const count : {0, 3}) {
      program.rooted(count);
      program.symmetric(count);
      program.point_to_point(count);
    }
  }

  // Each group is split into two if it has several processes; halves with the same colour join.
  int const color = Ring(inter).rank % 2;
  MPI_Comm_split(inter, color, 0, &part);
  if (part != MPI_COMM_NULL) {
    MPI_Barrier(part);
    workload::require_name(part, name + "_s2." + std::to_string(color));
  }

  // Merges both groups into one.
  for (int const ordinal : {3, 4}) {
    MPI_Intercomm_merge(inter, is_below ? 0 : 1, &merged);
    workload::require_name(merged, name + "_m" + std::to_string(ordinal));
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, merged);
    if (ordinal == 3) MPI_Comm_free(&merged);
  }
  return workload::finish();
}
