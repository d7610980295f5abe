// Rank 0 is last at the 10 barriers that it counts, and does not count 30 more. Rank 1 was said to be last: calls that
// rank 0 had not counted were taken for those in which rank 1 alone took part.
//
// ranks: 2
// expect: waits.csv comm=W op=Barrier kind=collective calls=40 last_rank=0
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 40; ++i) {
    if (rank == 0 && i == 10) MPI_Pcontrol(0);
    if (rank == 0 && i < 10) usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) MPI_Pcontrol(1);
  puts("done");
  MPI_Finalize();
  return 0;
}
