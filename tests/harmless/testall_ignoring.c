// MPI_Testall with MPI_STATUSES_IGNORE under an MPI whose MPI_Testall is right only then: the profiler passed statuses
// of its own, and the program got other answers.
//
// mpi: openmpi
// behind: faulty_testall
// expect: rank=0 comm=SELF op=Irecv calls=14 bytes=60
// expect: rank=0 comm=SELF op=Start calls=1 bytes=8
// expect: run.json dropped.requests_unfinished=0 dropped.receives_freed=0
#include <mpi.h>
#include <stdio.h>

enum { most = 12 };
static int in[most], out[2] = {7, 8};

static void complete(char const* what, int count, MPI_Request requests[]) {
  int flag = 0, result = MPI_SUCCESS, class = 0, null = 0;
  while (!flag && result == MPI_SUCCESS) result = MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Error_class(result, &class);
  for (int i = 0; i < count; ++i) null += requests[i] == MPI_REQUEST_NULL;
  printf("%s: %s, %d of %d null, got %d\n", what, class == MPI_SUCCESS ? "success" : "error", null, count, in[0]);
}

static void send_and_receive(char const* what, int size, int room) {
  MPI_Request requests[2];
  MPI_Irecv(in, room, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(out, size, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
  complete(what, 2, requests);
  for (int i = 0; i < 2; ++i)
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  send_and_receive("whole", 2, 2);
  send_and_receive("truncated", 2, 1);

  MPI_Request requests[2 * most];
  for (int i = 0; i < most; ++i) {
    MPI_Irecv(in + i, 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 * i]);
    MPI_Isend(out, 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 * i + 1]);
  }
  complete("many", 2 * most, requests);

  MPI_Recv_init(in, 2, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Isend(out, 2, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
  complete("persistent", 2, requests);
  MPI_Request_free(&requests[0]);
  MPI_Finalize();
}
