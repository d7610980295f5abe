// A communicator has an attribute whose delete callback frees another communicator. Both are freed, and their names are
// what their creation made them.
// ranks: 2
// expect: communicators.csv comm=W_d1 size=2 freed=1
// expect: communicators.csv comm=W_d2 size=2 freed=1
#include <mpi.h>
#include <stdio.h>

static MPI_Comm other;

static int free_other(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return MPI_Comm_free(&other);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_other, &key, NULL);
  MPI_Comm_set_attr(comm, key, NULL);
  MPI_Comm_free(&comm);
  printf("%d\n", other == MPI_COMM_NULL);
  MPI_Comm_free_keyval(&key);
  MPI_Finalize();
  return 0;
}
