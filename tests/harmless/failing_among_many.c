// Calls fail on communicators of which there are ten thousand, some of them freed: on each in turn, and on the world.
// mpi: openmpi
// time: 3
// env: COMMPROF_MAX_COMMS=20000
// expect: comm=W op=Send calls=100000
// expect: comm=SELF_d1 op=Send calls=1
// expect: comm=SELF_d9999 op=Send calls=1
// expect: run.json dropped.calls_on_unknown_communicators=0
#include <mpi.h>
#include <stdio.h>

enum { number = 10000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int failures = 0, value = 0, no_such_rank = 5;
  for (int i = 0; i < number; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    failures += MPI_Send(&value, 1, MPI_INT, no_such_rank, 0, comm) != MPI_SUCCESS;
    if (i % 10 == 0) MPI_Comm_free(&comm);
  }
  for (int i = 0; i < 10 * number; ++i)
    failures += MPI_Send(&value, 1, MPI_INT, no_such_rank, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  printf("%d\n", failures);
  MPI_Finalize();
  return 0;
}
