// MPI_Gatherv and MPI_Scatterv on an intercommunicator, with arguments that are not significant on processes that take
// no part: the profiler read arrays that were not there.
//
// mpi: mpich
// ranks: 3
// expect: op=Gatherv calls=3 bytes=8
// expect: op=Scatterv calls=3 bytes=8
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, out[2] = {1, 2}, in[2] = {0}, counts[1] = {2}, places[1] = {0};
  MPI_Comm half, both;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int const is_other = rank == 2;  // ranks 0 and 1 on one side, 2 on the other
  MPI_Comm_split(MPI_COMM_WORLD, is_other, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_other ? 0 : 2, 1, &both);
  if (rank == 2) {
    MPI_Gatherv(out, 2, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, both);
    MPI_Scatterv(NULL, NULL, NULL, MPI_INT, in, 2, MPI_INT, 0, both);
  } else if (rank == 0) {
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, in, counts, places, MPI_INT, MPI_ROOT, both);
    MPI_Scatterv(out, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, MPI_ROOT, both);
  } else {
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, NULL, NULL, NULL, MPI_INT, MPI_PROC_NULL, both);
    MPI_Scatterv(NULL, NULL, NULL, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, MPI_PROC_NULL, both);
  }
  printf("%d: %d\n", rank, in[0] + in[1]);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
  MPI_Finalize();
}
