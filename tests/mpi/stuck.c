/* A program that gets stuck in the way that its argument names. For now.py, which finds the marked lines. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static double one = 1, other = 2;

static void receive_from(int source, MPI_Comm comm) {
  MPI_Recv(&one, 1, MPI_DOUBLE, source, 7, comm, MPI_STATUS_IGNORE); /* receive */
}

static void add_up(MPI_Comm comm) {
  other = 0;
  MPI_Allreduce(&one, &other, 1, MPI_DOUBLE, MPI_SUM, comm); /* add up */
}

static void wait_for_next(MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (int i = 0; i < 2; ++i) MPI_Irecv(&one, 1, MPI_DOUBLE, (rank + 1) % ranks, i, comm, &requests[i]);
  MPI_Waitall(2, requests, statuses); /* wait */
}

/* Each root waits for what the other call would send. */
static void call_different_collectives(MPI_Comm comm) {
  double all[16];
  if (rank < ranks - 1) MPI_Bcast(&one, 1, MPI_DOUBLE, ranks - 1, comm);     /* bcast */
  else MPI_Gather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, ranks - 1, comm); /* gather */
}

static void compute(void) {
  for (;;) pause();
}

static void be_busy(MPI_Comm comm) {
  for (;;) {
    add_up(comm);
    usleep(1000);
  }
}

/* For about a second, and then each waits for the next. */
static void turn_to_waiting(MPI_Comm comm) {
  for (int i = 0; i < 50; ++i) {
    usleep(20000);
    add_up(comm);
  }
  wait_for_next(comm);
}

/* Each waits for the one before, and the first one is slow. */
static void stream_on(MPI_Comm comm) {
  for (;;) {
    if (rank == 0) usleep(20000);
    else receive_from(rank - 1, comm);
    if (rank + 1 < ranks) MPI_Send(&one, 1, MPI_DOUBLE, rank + 1, 7, comm);
  }
}

int main(int argc, char** argv) {
  char const* const how = argc > 1 ? argv[1] : "";
  MPI_Comm comm, next;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_split(comm, 0, -rank, &next); /* ranks the other way round */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(comm);
  MPI_Barrier(next); /* last */
  if (strcmp(how, "receives") == 0 && rank < 2) receive_from(ranks - 1 - (1 - rank), next);
  if (strcmp(how, "skip") == 0 && rank == 2) receive_from(3, MPI_COMM_WORLD);
  if (strcmp(how, "skip") == 0) add_up(comm);
  if (strcmp(how, "mismatch") == 0) call_different_collectives(comm);
  if (strcmp(how, "order") == 0 && rank % 2 == 0) MPI_Barrier(comm); /* comm first */
  if (strcmp(how, "order") == 0) MPI_Barrier(next);                  /* next */
  if (strcmp(how, "requests") == 0) wait_for_next(comm);
  if (strcmp(how, "slow") == 0 && rank == 1) compute();
  if (strcmp(how, "any") == 0 && rank == 0) receive_from(MPI_ANY_SOURCE, comm);
  if (strcmp(how, "root") == 0 && rank != 3) MPI_Bcast(&one, 1, MPI_DOUBLE, 3, comm); /* from root */
  if (strcmp(how, "root") == 0) compute();
  if (strcmp(how, "busy") == 0) be_busy(comm);
  if (strcmp(how, "stream") == 0) stream_on(comm);
  if (strcmp(how, "turn") == 0) turn_to_waiting(comm);
  add_up(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
