// Rank 0 is last at the 10 barriers that it counts, and does not count 30 more. Rank 1 was said to be last: calls that
// rank 0 had not counted were taken for those in which rank 1 alone took part. Then rank 1 waits for messages whose
// receives it has posted in a pause. They were taken for collective calls.
//
// ranks: 2
// expect: waits.csv comm=W op=Barrier kind=collective calls=40 last_rank=0
// expect: waits.csv kind=late-sender comm=W op=Wait last_rank=0
// expect: waits.csv kind=collective op=Wait rows=0
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 40; ++i) {
    if (rank == 0 && i == 10) MPI_Pcontrol(0);
    if (rank == 0 && i < 10) usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) MPI_Pcontrol(1);
  for (int i = 0; i < 20; ++i) {
    if (rank == 0) {
      usleep(10000);
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Request request;
      MPI_Pcontrol(0);
      MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Pcontrol(1);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  puts("done");
  MPI_Finalize();
  return 0;
}
