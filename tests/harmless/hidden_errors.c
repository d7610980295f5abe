// An error handler sets the code to MPI_SUCCESS, and calls that have failed return that; MPICH 5.0.2 returns it after
// any handler of a program. The profiler took what such calls had left unset for results: it asked MPI about ranks,
// datatypes and communicators that do not exist, and counted what lay in statuses.
//
// ranks: 2
// expect: rank=0 comm=SELF op=Send calls=2 bytes=0
// expect: rank=0 comm=SELF op=Recv calls=2 bytes=0
// expect: rank=0 comm=SELF op=Irecv calls=5 bytes=64
// expect: rank=0 comm=SELF op=Sendrecv calls=1 bytes=0
// expect: rank=0 comm=W op=Put calls=1 bytes=0
// expect: rank=0 comm=SELF op=Start calls=1 bytes=32
// expect: run.json dropped.requests_unfinished=0
#include <mpi.h>
#include <stdio.h>

static int handled;

static void handle_of_comm(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handled;
  *code = MPI_SUCCESS;
}
static void handle_of_window(MPI_Win* window, int* code, ...) {
  (void)window;
  ++handled;
  *code = MPI_SUCCESS;
}

static void tell(char const* what, int result) {
  printf("%s: %s, %d handler calls\n", what, result == MPI_SUCCESS ? "success" : "error", handled);
  handled = 0;
}

// What the next function finds on its stack.
__attribute__((noinline)) static void leave_traces(void) {
  char volatile traces[16384] = {0};
  for (int i = 0; i < 16384; ++i) traces[i] += 0x11;
}

enum { size = 8, nowhere = 1000, tag = 1 };
static int in[3 * size], out[size];

static MPI_Request send_to_self(int count) {
  MPI_Request request;
  MPI_Isend(out, count, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
  return request;
}

static void refused(void) {
  MPI_Comm comm;
  MPI_Request request = MPI_REQUEST_NULL;
  tell("Send, rank", MPI_Send(out, size, MPI_INT, nowhere, tag, MPI_COMM_SELF));
  tell("Send, type", MPI_Send(out, size, MPI_DATATYPE_NULL, 0, tag, MPI_COMM_SELF));
  leave_traces();
  tell("Recv, rank", MPI_Recv(in, size, MPI_INT, nowhere, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  leave_traces();
  tell("Sendrecv, rank",
       MPI_Sendrecv(out, size, MPI_INT, 0, tag, in, size, MPI_INT, nowhere, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  tell("Irecv, rank", MPI_Irecv(in, size, MPI_INT, nowhere, tag, MPI_COMM_SELF, &request));
  tell("Test, no flag", MPI_Test(&request, NULL, MPI_STATUS_IGNORE));
  tell("Comm_dup", MPI_Comm_dup(MPI_COMM_NULL, &comm));
  tell("Barrier", MPI_Barrier(MPI_COMM_NULL));
}

static void truncated(void) {
  MPI_Request send = send_to_self(size);
  leave_traces();
  tell("Recv, truncated", MPI_Recv(in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  MPI_Wait(&send, MPI_STATUS_IGNORE);

  for (int with_statuses = 0; with_statuses < 2; ++with_statuses) {
    MPI_Request sends[2] = {send_to_self(size), send_to_self(size)}, receives[2];
    MPI_Status statuses[2];
    MPI_Irecv(in, size, MPI_INT, 0, tag, MPI_COMM_SELF, &receives[0]);
    MPI_Irecv(in + size, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &receives[1]);
    leave_traces();
    tell("Waitall, one truncated", MPI_Waitall(2, receives, with_statuses ? statuses : MPI_STATUSES_IGNORE));
    for (int i = 0; i < 2; ++i)
      if (receives[i] != MPI_REQUEST_NULL) MPI_Request_free(&receives[i]);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  }
}

// A persistent receive goes on when a call refuses its arguments.
static void goes_on(void) {
  MPI_Request requests[2], send;
  int index = 0;
  MPI_Recv_init(in, size, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[0]);
  requests[1] = (MPI_Request)0;
  MPI_Start(&requests[0]);
  tell("Waitany, no request", MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
  send = send_to_self(size);
  tell("Wait", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
}

static void window(MPI_Errhandler handler) {
  MPI_Win made;
  MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  MPI_Win_set_errhandler(made, handler);
  MPI_Win_fence(0, made);
  tell("Put, rank", MPI_Put(out, 1, MPI_INT, nowhere, 0, 1, MPI_INT, made));
  MPI_Win_fence(0, made);
  MPI_Win_free(&made);
}

int main(int argc, char** argv) {
  MPI_Errhandler of_comm, of_window;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(handle_of_comm, &of_comm);
  MPI_Win_create_errhandler(handle_of_window, &of_window);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_comm);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm);
  refused();
  truncated();
  goes_on();
  window(of_window);
  MPI_Errhandler_free(&of_comm);
  MPI_Errhandler_free(&of_window);
  MPI_Finalize();
}
