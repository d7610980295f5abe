// A tool over PMPI is preloaded behind the profiler. It saw no calls, since the profiler called PMPI past it. Calls
// that the tool makes of MPI are part of the program's call.
// ranks: 1 2
// behind: counting_tool
// expect: rank=0 op=Allreduce comm=W calls=7 bytes_sent=56
// expect: rank=0 op=Barrier comm=W calls=3
// expect: op=Reduce calls=0
// expect: op=Bcast calls=0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double one = 1, sum = 0;
  for (int i = 0; i < 7; ++i) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  printf("sum %g\n", sum);
  MPI_Finalize();
  return 0;
}
