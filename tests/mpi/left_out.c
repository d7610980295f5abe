/* A program with calls on four communicators, some of which left_out.py excludes. At its end each rank prints its
 * reading of its own MPI_Isends; with an argument it aborts, with a receive pending. */
#include <commprof/commprof.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int rank, ranks;
static double out[2] = {1, 2}, in[2];
static MPI_Status statuses[2];

/* Even ranks send first, so that nothing waits for itself. */
static void pass_on(int to, int from) {
  if (rank % 2 == 0) MPI_Send(out, 2, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
  MPI_Recv(in, 2, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank % 2 != 0) MPI_Send(out, 2, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
}

static void exchange(int right, int left) {
  MPI_Request requests[2];
  MPI_Irecv(in, 2, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 2, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
}

static void start_twice(MPI_Comm comm, int right, int left) {
  MPI_Request requests[2];
  MPI_Recv_init(in, 1, MPI_DOUBLE, left, 3, comm, &requests[0]);
  MPI_Send_init(out, 1, MPI_DOUBLE, right, 3, comm, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

static void put(int right) {
  MPI_Win win;
  MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 3; ++i) MPI_Put(out, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  MPI_Comm half, copy, alone;
  MPI_Request request;
  commprof_numbers numbers = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  for (int i = 0; i < 7; ++i) exchange(right, left);
  for (int i = 0; i < 3; ++i) { /* in turn to two others, one of whom got the same in exchange() */
    pass_on(right, left);
    pass_on(left, right);
  }
  for (int i = 0; i < 5; ++i)
    MPI_Sendrecv_replace(in, 2, MPI_DOUBLE, 1 - rank % 2, 0, 1 - rank % 2, 0, half, MPI_STATUS_IGNORE);
  start_twice(copy, right, left);
  put(right);
  for (int i = 0; i < 4; ++i) MPI_Allreduce(out, in, 1 << i % 2, MPI_DOUBLE, MPI_SUM, half);
  for (int i = 0; i < 2; ++i) MPI_Barrier(alone);
  MPI_Ibarrier(copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (argc > 1) {
    MPI_Irecv(in, 2, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, &request);
    MPI_Barrier(copy);
    MPI_Abort(MPI_COMM_WORLD, 3);
    for (;;) pause(); /* MPICH 4.2.1 returns, and its launcher ends the process later */
  }
  commprof_read(MPI_COMM_WORLD, "Isend", &numbers, sizeof numbers);
  printf("%llu\n", numbers.calls);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&alone);
  MPI_Finalize();
  return 0;
}
