// The program goes to another directory before MPI_Init. A relative output directory starts where the program was
// started all the same.
// env: COMMPROF_OUTPUT=profile
// expect: rank=0 comm=W op=Barrier calls=1
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (chdir("/") != 0) return 1;
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  puts("end");
  return 0;
}
