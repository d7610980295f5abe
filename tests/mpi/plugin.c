/* The only part of the program that is linked with MPI. */
#include <mpi.h>
#include <stdio.h>

int run(void) {
  int rank = 0, sum = 0;
  MPI_Comm comm;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  if (rank == 0) printf("sum %d\n", sum), fflush(stdout);
  MPI_Finalize();
  return 0;
}
