/* causes STEPS PROGRAM [killed]: programs in which it is known who causes the waiting, by sleeping. "pipeline": rank 1
 * is slow, and all after it are late because of it. "bursts": the same with four messages at once, all pending.
 * "turns": neighbours work in turn, so nobody is slower than others. "messenger": rank 0 waits for rank 1, and all wait
 * for rank 0. "ring": neighbourhood collectives, with a slow rank 1. "polls": rank 0 tests, probes and tests again
 * until rank 1 comes. "steered": rank 1 computes, and probes all the time for a message that never comes. "early": the
 * program of rank 1 ends later than the others. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGES = 4, BYTES = 8 };
static int rank, size;

static void work(int ms) {
  struct timespec const time = {0, ms * 1000000L};
  nanosleep(&time, NULL);
}

static void pipeline(void) {
  int value = 0;
  if (rank > 0) MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(rank == 1 ? 20 : 2);
  if (rank + 1 < size) MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
}

static void bursts(void) {
  char data[MESSAGES][BYTES] = {{0}};
  MPI_Request requests[MESSAGES];
  for (int i = 0; i < MESSAGES && rank > 0; ++i)
    MPI_Irecv(data[i], BYTES, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, &requests[i]);
  if (rank > 0) MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
  work(rank == 1 ? 20 : 2);
  for (int i = 0; i < MESSAGES && rank + 1 < size; ++i)
    MPI_Isend(data[i], BYTES, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD, &requests[i]);
  if (rank + 1 < size) MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
}

static void turns(void) {
  int value = 0, other = rank ^ 1;
  if (rank % 2 == 1) MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(10);
  MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
  if (rank % 2 == 0) MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void messenger(void) {
  int value = 0;
  work(rank == 1 ? 20 : 2);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void ring(MPI_Comm comm) {
  double out[2] = {0}, in[2];
  work(rank == 1 ? 20 : 2);
  MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, comm);
}

static void polls(void) {
  static char large[1 << 22];
  int value = 0, index = 0, is_there = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    while (!is_there) MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    for (is_there = 0; !is_there;) MPI_Iprobe(1, 1, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(large, sizeof large, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
    for (is_there = 0; !is_there;) MPI_Testall(1, &request, &is_there, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    work(4);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    work(4);
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    work(4);
    MPI_Recv(large, sizeof large, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(4);
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (is_there = 0; rank == 0 && !is_there;) MPI_Testany(1, &request, &index, &is_there, MPI_STATUS_IGNORE);
}

static void steered(void) {
  for (int piece = 0, is_there = 0; rank == 1 && piece < 500; ++piece) {
    double const end = MPI_Wtime() + 20e-6;
    while (MPI_Wtime() < end) continue;
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int provided = 0;
  if (argc > 3 && strcmp(argv[3], "threaded") == 0) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char const* const program = argv[2];
  MPI_Comm comm;
  int const periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    if (strcmp(program, "pipeline") == 0) pipeline();
    if (strcmp(program, "bursts") == 0) bursts();
    if (strcmp(program, "turns") == 0) turns();
    if (strcmp(program, "messenger") == 0) messenger();
    if (strcmp(program, "ring") == 0) ring(comm);
    if (strcmp(program, "polls") == 0) polls();
    if (strcmp(program, "steered") == 0) steered();
    if (strcmp(program, "early") == 0 && rank == 1) work(10);
  }
  if (argc > 3 && strcmp(argv[3], "killed") == 0) {
    PMPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
