// Rank 0 makes a communicator of all ranks in a copy callback, the others make it directly. A message of the profiler
// on the new communicator, which one of them would not take part in, would match the program's next broadcast.
// ranks: 2 4
// expect: rank=0 comm=SELF_d1 op=Comm_dup calls=1
// expect: rank=0 op=Comm_create_group calls=0
// expect: rank=1 comm=W op=Comm_create_group calls=1
// expect: rank=0 comm=W_u1.0-1 op=Bcast calls=1 bytes=0 ranks=2
// expect: rank=1 comm=W_u1.0-1 op=Bcast calls=1 bytes=4 ranks=2
// expect: comm=W_u1.0-1 op=Barrier calls=2 ranks=2
// expect: rank=0 comm=W_u1.0-3 op=Bcast calls=1 bytes=0 ranks=4
// expect: rank=1 comm=W_u1.0-3 op=Bcast calls=1 bytes=4 ranks=4
// expect: comm=W_u1.0-3 op=Barrier calls=4 ranks=4
#include <mpi.h>
#include <stdio.h>

static MPI_Comm made;
static MPI_Group all;

static void make(void) { MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &made); }

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  make();
  *flag = 0;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, key, value = 17;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  if (rank == 0) {
    MPI_Comm base, duplicate;
    MPI_Comm_dup(MPI_COMM_SELF, &base);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(base, key, NULL);
    MPI_Comm_dup(base, &duplicate);
  } else {
    make();
    value = 0;
  }
  MPI_Bcast(&value, 1, MPI_INT, 0, made);
  printf("rank %d: %d\n", rank, value);
  MPI_Barrier(made);
  MPI_Finalize();
  return 0;
}
