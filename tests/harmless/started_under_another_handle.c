/* A persistent request that MPI_Start gives another handle was said to be pending since the beginning of the program.
 *
 * behind: new_handles
 * ranks: 2
 * expect: rank=0 op=Start comm=W calls=1 bytes_received=4
 * expect: waits.csv kind=pending op=Recv_init time_s>=0.2 rows=0
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, in = -1;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Recv_init(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  usleep(300000);
  MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("rank %d has %d\n", rank, in);
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
