// Rank 0 closes its error stream and opens its result file, which becomes descriptor 2. The profiler wrote its line
// into the results.
// ranks: 2
// env: COMMPROF_VERBOSE=1
// expect: rank=0 comm=W op=Allreduce calls=1
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int file = -1;
  if (rank == 0) {
    close(2);
    file = open("result", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (write(file, "first\n", 6) != 6) return 1;
  }
  MPI_Finalize();
  if (rank == 0) {
    if (write(file, "last\n", 5) != 5) return 1;
    char text[4096];
    ssize_t const length = pread(file, text, sizeof text, 0);
    printf("descriptor %d\n%.*s", file, (int)length, text);
  }
  return 0;
}
