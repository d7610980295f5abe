// Rank 0 makes an intercommunicator with rank 1 in a copy callback, rank 1 makes it directly. Then they merge it.
// ranks: 2
// expect: rank=0 comm=SELF_d1 op=Comm_dup calls=1
// expect: rank=0 op=Intercomm_create calls=0
// expect: rank=1 comm=SELF op=Intercomm_create calls=1
// expect: rank=0 comm=W_i1.0.1.t3 op=Barrier calls=1
// expect: rank=1 comm=W_i1.0.1.t3 op=Barrier calls=1
// expect: comm=W_i1.0.1.t3 op=Intercomm_merge calls=2
// expect: rank=0 comm=W_i1.0.1.t3_m1 op=Bcast calls=1 bytes=0
// expect: rank=1 comm=W_i1.0.1.t3_m1 op=Bcast calls=1 bytes=4
#include <mpi.h>
#include <stdio.h>

static MPI_Comm made;
static int rank;

static void make(void) { MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &made); }

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  make();
  *flag = 0;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int key, value;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Comm base, duplicate;
    MPI_Comm_dup(MPI_COMM_SELF, &base);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(base, key, NULL);
    MPI_Comm_dup(base, &duplicate);
  } else {
    make();
  }
  MPI_Barrier(made);
  MPI_Comm both;
  MPI_Intercomm_merge(made, rank, &both);
  value = rank == 0 ? 17 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, both);
  printf("rank %d: %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
