// Intercommunicators that share a record: volumes depend on the groups of each one, which the record does not have.
// COMMPROF_MAX_COMMS=1 folds all but the first.
#include <vector>

#include "workload.hpp"

using workload::Ring;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ring const world(MPI_COMM_WORLD);
  bool const is_odd = world.rank % 2 == 1;
  int const remote_size = is_odd ? (world.size + 1) / 2 : world.size / 2;
  constexpr int count = 3;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, is_odd ? 1 : 0, world.rank, &half);
  for (int i = 1; i <= 4; ++i) {
    MPI_Comm both;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_odd ? 0 : 1, 9, &both);
    if (i > 1) workload::require_name(both, "W_i*");
    std::vector<int> out(static_cast<std::size_t>(count * remote_size)), in(out.size());
    MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, both);
    // From the first even process to the odd ones, and back.
    int const root = is_odd ? 0 : world.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(out.data(), count, MPI_INT, root, both);
    MPI_Reduce(out.data(), in.data(), count, MPI_INT, MPI_SUM, root, both);
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < remote_size; ++peer) {
      MPI_Irecv(in.data() + count * peer, count, MPI_INT, peer, 1, both, &requests.emplace_back());
      MPI_Isend(out.data(), count, MPI_INT, peer, 1, both, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

    // Communicators created from a folded one are folded, too, on both sides.
    MPI_Comm merged;
    MPI_Intercomm_merge(both, is_odd ? 1 : 0, &merged);
    if (i > 1) workload::require_name(merged, "W_m*");
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
  }
  MPI_Comm_free(&half);
  return workload::finish();
}
