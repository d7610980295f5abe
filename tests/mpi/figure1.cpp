// The program of Figure 1 of the mpisee paper, on 4 processes: a grid, two halves, and in each half at the same time a
// different creation call. The profile holds these communicators and no other.
#include "workload.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const rank = workload::Ring(MPI_COMM_WORLD).rank, dims[] = {2, 2}, periods[] = {0, 1};
  bool const is_first = rank < 2;
  MPI_Comm grid, half, last;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  if (is_first) {
    MPI_Comm_dup(half, &last);
  } else {
    MPI_Group group;
    MPI_Comm_group(half, &group);
    MPI_Comm_create(half, group, &last);
    MPI_Group_free(&group);
  }
  MPI_Comm_set_name(half, is_first ? "lower" : "upper");
  workload::require_name(grid, "W_a1");
  workload::require_name(half, is_first ? "W_s2.0" : "W_s2.2");
  workload::require_name(last, is_first ? "W_s2.0_d1" : "W_s2.2_c1.0");
  int value = 1, sum = 0;
  for (MPI_Comm const comm : {grid, half, last}) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&last);
  return workload::finish();
}
