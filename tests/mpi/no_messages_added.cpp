// Creates communicators in all ways, and communicates: the profiler sends no messages meanwhile. What it calls of MPI
// is counted behind it, by pmpi_census.
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

void create(Ring const& world) {
  MPI_Comm comm, sub;
  MPI_Request request;
  int const me = world.rank, n = world.size, dims[] = {1, n}, periods[] = {1, 1}, remain[] = {0, 1};
  int const edge[] = {0}, degree[] = {1};
  // First, since Open MPI 4.1.4 at times hangs in it after the other calls.
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, degree, edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_free(&comm);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  MPI_Comm_free(&comm);
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &comm);
  MPI_Comm_set_name(comm, "half");
  MPI_Comm_free(&comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  MPI_Comm_free(&comm);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  MPI_Cart_sub(comm, remain, &sub);
  MPI_Comm_free(&sub);
  MPI_Comm_free(&comm);
  std::vector<int> const no_edges(static_cast<std::size_t>(n), 0);
  MPI_Graph_create(MPI_COMM_WORLD, n, no_edges.data(), edge, 0, &comm);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
  MPI_Comm_disconnect(&comm);
}

void create_of_groups() {
  MPI_Comm comm;
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_create(MPI_COMM_WORLD, world, &comm);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_create_group(MPI_COMM_WORLD, world, 0, &comm);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&world);
}

// Joins the halves of the world into one communicator of all processes.
void join_halves(Ring const& world) {
  int const half = world.size / 2;
  bool const is_below = world.rank < half;
  MPI_Comm local, both, merged;
  MPI_Comm_split(MPI_COMM_WORLD, is_below ? 0 : 1, 0, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, is_below ? half : 0, 0, &both);
  MPI_Intercomm_merge(both, is_below ? 0 : 1, &merged);
  for (MPI_Comm* const comm : {&merged, &both, &local}) MPI_Comm_free(comm);
}

void communicate(Ring const& world) {
  int out[2] = {}, in[2] = {};
  MPI_Request requests[2];
  MPI_Sendrecv(out, 1, MPI_INT, world.right(), 0, in, 1, MPI_INT, world.left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 1, MPI_INT, world.left(), 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 1, MPI_INT, world.right(), 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(out, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  MPI_Pcontrol(1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ring const world(MPI_COMM_WORLD);
  create(world);
  create_of_groups();
  if (world.size > 1) join_halves(world);
  communicate(world);
  return workload::finish();
}
