// The error stream is a full pipe that nobody reads, as where a launcher is stopped. The job waited in MPI_Finalize for
// the profiler's line.
// env: COMMPROF_VERBOSE=1
// expect: rank=0 comm=W op=Barrier calls=1
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc == 1) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    char const block[4096] = "";
    while (write(ends[1], block, sizeof block) > 0) {
    }
    fcntl(ends[1], F_SETFL, 0);
    dup2(ends[1], 2);
    execl(argv[0], argv[0], "again", (char*)NULL);  // with this pipe from the start
    return 1;
  }
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  puts("end");
  return 0;
}
