// MPI_Startall on requests of 900 communicators looked all requests up for each communicator: 13 ms in place of 15 us.
// Calls fail on communicators of which there are ten thousand, some of them freed: on each in turn, and on the world.
// mpi: openmpi
// time: 3
// env: COMMPROF_MAX_COMMS=20000
// expect: op=Startall calls=2700000
// expect: op=Waitall calls=2700000
// expect: comm=SELF_d900 op=Startall calls=3000
// expect: comm=W op=Send calls=100000
// expect: comm=SELF_d901 op=Send calls=1
// expect: comm=SELF_d10899 op=Send calls=1
// expect: run.json dropped.calls_on_unknown_communicators=0
#include <mpi.h>
#include <stdio.h>

enum { some = 900, many = 10000 };

int main(int argc, char** argv) {
  static MPI_Request requests[some];
  MPI_Init(&argc, &argv);
  int failures = 0, value = 0, no_such_rank = 5;
  MPI_Comm comm;
  for (int i = 0; i < some; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, requests + i);
  }
  for (int i = 0; i < 3000; ++i) {
    MPI_Startall(some, requests);
    MPI_Waitall(some, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < some; ++i) MPI_Request_free(requests + i);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int i = 0; i < many; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    failures += MPI_Send(&value, 1, MPI_INT, no_such_rank, 0, comm) != MPI_SUCCESS;
    if (i % 10 == 0) MPI_Comm_free(&comm);
  }
  for (int i = 0; i < 10 * many; ++i)
    failures += MPI_Send(&value, 1, MPI_INT, no_such_rank, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  printf("%d\n", failures);
  MPI_Finalize();
  return 0;
}
