// A callback makes calls that fail, and an error handler sets their code to MPI_SUCCESS. The call that runs the
// callback has not failed, nor has the one after it.
//
// expect: communicators.csv comm=W_d1 freed=1
// expect: communicators.csv comm=W_d2 freed=1
// expect: rank=0 comm=W op=Comm_dup calls=3
// expect: rank=0 comm=W_d3 op=Sendrecv calls=1 bytes=8
// expect: run.json dropped.calls_on_unknown_communicators=0
#include <mpi.h>
#include <stdio.h>

enum { nowhere = 1000 };
static int handled, with_wrapper;

static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handled;
  *code = MPI_SUCCESS;
}

static int fail(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra, (void)comm;
  void* attribute = NULL;
  int found = 0;
  if (with_wrapper) MPI_Send(&found, 1, MPI_INT, nowhere, 0, MPI_COMM_WORLD);
  else MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &attribute, &found);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int key, out = 17, in = 0;
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fail, &key, NULL);
  for (with_wrapper = 0; with_wrapper < 2; ++with_wrapper) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_free(&comm);
    printf("freed: %d, %d errors\n", comm == MPI_COMM_NULL, handled);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  printf("received: %d\n", in);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
}
