// MPI_Request_get_status says that a receive is complete and how much has arrived; MPI_Request_free follows. It counted
// no bytes, although they were known.
//
// expect: rank=0 comm=SELF op=Irecv calls=2 bytes=64
// expect: run.json dropped.receives_freed=0 dropped.requests_unfinished=0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  double in[4], out[4] = {1, 2, 3, 4};
  MPI_Init(&argc, &argv);
  for (int is_freed = 0; is_freed < 2; ++is_freed) {
    MPI_Request send, receive;
    MPI_Status status;
    int flag = 0, count = 0;
    MPI_Irecv(in, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &receive);
    MPI_Isend(out, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &send);
    while (!flag) MPI_Request_get_status(receive, &flag, &status);
    MPI_Request_get_status(receive, &flag, MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    printf("%d received\n", count);
    if (is_freed) MPI_Request_free(&receive);
    else MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
}
