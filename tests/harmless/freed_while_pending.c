// A communicator is freed while a persistent request is left on it. The MPI keeps the object. MPICH keeps its
// attributes, too, and calls their delete callbacks later or never.
// ranks: 1
// env: COMMPROF_MAX_COMMS=1
// expect: communicators.csv comm=SELF_d1 freed=1
// expect: comm=SELF_d1 op=Comm_free calls=1
// expect: comm=SELF_d* op=Comm_free calls=3
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value;
  MPI_Request requests[4];
  for (int i = 0; i < 4; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Recv_init(&value, 1, MPI_INT, 0, 1, comm, &requests[i]);
    MPI_Comm_free(&comm);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[2]);
  MPI_Finalize();
  return 0;
}
