// Rank 0 makes communicators with rank 1 in a copy callback, and after it has left a call by longjmp out of one; rank 1
// makes them directly. A message of the profiler on the new communicator, which one of them would not take part in,
// would match the program's next broadcast.
// ranks: 2
// expect: rank=0 comm=SELF_d1 op=Comm_dup calls=1
// expect: rank=0 comm=SELF_d2 op=Comm_dup calls=1
// expect: rank=0 comm=SELF_d3 op=Comm_dup calls=0
// expect: rank=0 op=Comm_create_group calls=1
// expect: rank=1 comm=W op=Comm_create_group calls=2
// expect: rank=0 comm=SELF op=Intercomm_create calls=1
// expect: rank=1 comm=SELF op=Intercomm_create calls=2
// expect: rank=0 comm=W_u1.0-1 op=Bcast calls=1 bytes=0
// expect: rank=1 comm=W_u1.0-1 op=Bcast calls=1 bytes=4
// expect: rank=1 comm=W_u2.0-1 op=Bcast calls=1 bytes=4
// expect: comm=W_i1.0.1.t3 op=Barrier calls=2
// expect: comm=W_i2.0.1.t3 op=Barrier calls=2
// expect: comm=W_i1.0.1.t3 op=Intercomm_merge calls=2
// expect: rank=0 comm=W_i1.0.1.t3_m1 op=Bcast calls=1 bytes=0
// expect: rank=1 comm=W_i1.0.1.t3_m1 op=Bcast calls=1 bytes=4
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static int rank;
static MPI_Comm group, between;
static jmp_buf way_out;

static void make_group(void) {
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &group);
  MPI_Group_free(&all);
}
static void make_between(void) { MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &between); }
static void leave(void) { longjmp(way_out, 1); }

static void (*action)(void);
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  action();
  *flag = 0;
  return MPI_SUCCESS;
}
static void in_copy_callback(void (*what)(void)) {
  int key;
  MPI_Comm base, duplicate;
  action = what;
  MPI_Comm_dup(MPI_COMM_SELF, &base);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(base, key, NULL);
  if (setjmp(way_out) == 0) MPI_Comm_dup(base, &duplicate);
}

static void broadcast(MPI_Comm comm) {
  int value = rank == 0 ? 17 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  printf("rank %d: %d\n", rank, value);
}

int main(int argc, char** argv) {
  MPI_Comm both;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) in_copy_callback(make_group);
  else make_group();
  broadcast(group);
  if (rank == 0) in_copy_callback(make_between);
  else make_between();
  MPI_Barrier(between);
  MPI_Intercomm_merge(between, rank, &both);
  broadcast(both);
  if (rank == 0) in_copy_callback(leave);
  make_group();
  broadcast(group);
  make_between();
  MPI_Barrier(between);
  MPI_Finalize();
}
