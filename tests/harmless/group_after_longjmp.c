// Rank 0 has left a call by longjmp out of a copy callback, and makes communicators with rank 1 all the same.
// ranks: 2
// expect: rank=0 op=Comm_dup calls=1
// expect: comm=W op=Comm_create_group calls=2
// expect: comm=SELF op=Intercomm_create calls=2
// expect: rank=0 comm=W_u1.0-1 op=Bcast calls=1 bytes=0
// expect: rank=1 comm=W_u1.0-1 op=Bcast calls=1 bytes=4
// expect: rank=0 comm=W_i1.0.1.t3 op=Barrier calls=1
// expect: rank=1 comm=W_i1.0.1.t3 op=Barrier calls=1
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

static int leave(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
  longjmp(back, 1);
}

static void leave_a_call(void) {
  if (setjmp(back) != 0) return;
  int key;
  MPI_Comm base, duplicate;
  MPI_Comm_dup(MPI_COMM_SELF, &base);
  MPI_Comm_create_keyval(leave, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(base, key, NULL);
  MPI_Comm_dup(base, &duplicate);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) leave_a_call();
  MPI_Group all;
  MPI_Comm group, between;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &group);
  int value = rank == 0 ? 17 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, group);
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &between);
  MPI_Barrier(between);
  printf("rank %d: %d\n", rank, value);
  MPI_Finalize();
  return 0;
}
