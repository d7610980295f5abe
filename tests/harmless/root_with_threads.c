// Where several threads may call MPI, nobody knew which process the root of a communicator is, and so who is awaited.
//
// ranks: 2
// expect: waits.csv kind=collective comm=W_s1.0 op=Bcast last_rank=0 caused_by=0
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, value = 0, provided;
  MPI_Comm comm;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  for (int i = 0; i < 20; ++i) {
    if (rank == 0) usleep(10000);
    MPI_Bcast(&value, 1, MPI_INT, 1, comm);
  }
  MPI_Comm_free(&comm);
  puts("done");
  MPI_Finalize();
  return 0;
}
