// A receive is posted before, and completed in a callback; another is posted in a callback, and completed after it.
// What a callback completes was lost, and left an entry for ever.
// expect: comm=SELF_d2 op=Irecv calls=2 bytes=300
// expect: comm=SELF_d2 op=Isend calls=1 bytes=100
// expect: comm=SELF_d2 op=Wait calls=3
// expect: comm=SELF op=Wait calls=0
// expect: comm=SELF_d1 op=Comm_free calls=1
// expect: run.json dropped.requests_unfinished=0
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <mpi.h>
#include <stdio.h>

static MPI_Comm other;
static MPI_Request of_callback;
static int y[25], z[25], long_y[50], x[50];

static int finish(MPI_Comm comm, int key, void* request, void* extra) {
  MPI_Irecv(z, 25, MPI_INT, 0, 1, other, &of_callback);
  return MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  MPI_Request request, send;
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &key, 0);
  MPI_Irecv(y, 25, MPI_INT, 0, 0, other, &request);
  MPI_Comm_set_attr(comm, key, &request);
  MPI_Isend(x, 25, MPI_INT, 0, 0, other, &send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  /* The variable is the one that the callback's receive is completed by: its entry must not take this one's place. */
  MPI_Send(x, 25, MPI_INT, 0, 1, other);
  MPI_Wait(&of_callback, MPI_STATUS_IGNORE);
  MPI_Irecv(long_y, 50, MPI_INT, 0, 2, other, &of_callback);
  MPI_Send(x, 50, MPI_INT, 0, 2, other);
  MPI_Wait(&of_callback, MPI_STATUS_IGNORE);
  MPI_Comm_free(&other);
  puts("done");
  MPI_Finalize();
  return 0;
}
