/* Says whether it is profiled, and does one thing that a profile shows. */
#include <commprof/commprof.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  commprof_region_begin("within");
  MPI_Barrier(MPI_COMM_WORLD);
  commprof_region_end("within");
  commprof_numbers numbers;
  if (commprof_read(MPI_COMM_WORLD, "Barrier", &numbers, sizeof numbers) == MPI_SUCCESS) {
    if (rank == 0) printf("%llu barrier\n", numbers.calls);
  } else if (rank == 0) {
    printf("nothing to read\n");
  }
  if (rank == 0 && commprof_version) printf("profiled by commprof %s\n", commprof_version());
  if (rank == 0 && !commprof_version) printf("not profiled\n");
  MPI_Finalize();
  return 0;
}
