/* waits CALLS MODE: collective calls to which the processes come at different times, and the truth about that.
 *
 * Each process notes when it comes to each call and when it leaves, on the clock that all of them share, of several
 * hosts too. From all notes, rank 0 prints for each operation: its time, the time that
 * its processes waited for the last one to come before they left, and for how long they waited for each. MODE:
 * "delays": with injected delays; "killed": all processes are killed at the end; "others": more calls, on communicators
 * without waits. */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BARRIER, ALLREDUCE, BCAST, REDUCE, HALVES, KINDS };
static char const* const names[KINDS] = {"W Barrier", "W Allreduce", "W Bcast", "W Reduce", "halves Allreduce"};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void delay(int kind, int call, int rank, int size) {
  int64_t us = 0;
  if (kind == BARRIER && rank == size - 1) us = 200;            /* one is slow */
  if (kind == ALLREDUCE && call % size == rank) us = 200;       /* in turn */
  if (kind == BCAST && rank == 1) us = 200;                     /* the root is slow */
  if (kind == REDUCE) us = 50 * rank;                           /* each by another time */
  if (kind == HALVES) us = (call * 7919 + rank * 104729) % 300; /* irregular */
  struct timespec const time = {0, us * 1000};
  nanosleep(&time, NULL);
}

static void make_call(int kind, MPI_Comm half) {
  double value = 1, sum = 0;
  if (kind == BARRIER) MPI_Barrier(MPI_COMM_WORLD);
  if (kind == ALLREDUCE) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (kind == BCAST) MPI_Bcast(&value, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  if (kind == REDUCE) MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (kind == HALVES) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
}

/* Prints the truth for one operation: notes[rank][call][entry, exit]. */
static void print_truth(int kind, int64_t const* notes, int calls, int size) {
  double time = 0, wait = 0, wait_for[64] = {0};
  for (int call = 0; call < calls; ++call) {
    for (int half = 0; half < (kind == HALVES ? 2 : 1); ++half) {
      int const step = kind == HALVES ? 2 : 1;
      int latest = half;
      for (int rank = half; rank < size; rank += step)
        if (notes[(rank * calls + call) * 2] > notes[(latest * calls + call) * 2]) latest = rank;
      int const awaited = kind == BCAST ? 1 : latest;
      int64_t const until = notes[(awaited * calls + call) * 2];
      for (int rank = half; rank < size; rank += step) {
        int64_t const entry = notes[(rank * calls + call) * 2], elapsed = notes[(rank * calls + call) * 2 + 1] - entry;
        time += (double)elapsed;
        if (until <= entry || until > entry + elapsed) continue;
        wait += (double)(until - entry);
        wait_for[awaited] += (double)(until - entry);
      }
    }
  }
  printf("%s,%.0f,%.0f", names[kind], time, wait);
  for (int rank = 0; rank < size; ++rank) printf(",%.0f", wait_for[rank]);
  printf("\n");
}

/* Makes calls on three communicators that share a record (if W may have one child only), and on an
 * intercommunicator. */
static void make_other_calls(int rank, MPI_Comm half) {
  MPI_Comm comm;
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &comm);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, calls = atoi(argv[1]);
  char const* const mode = argv[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int64_t* const own = malloc(sizeof(int64_t) * 2 * (size_t)calls * KINDS);
  int64_t* const all = malloc(sizeof(int64_t) * 2 * (size_t)calls * (size_t)size);
  for (int kind = 0; kind < KINDS; ++kind) {
    for (int call = 0; call < calls; ++call) {
      delay(kind, call, rank, size);
      int64_t* const note = own + (kind * calls + call) * 2;
      note[0] = now();
      make_call(kind, half);
      note[1] = now();
    }
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  for (int kind = 0; kind < KINDS; ++kind) {
    PMPI_Gather(own + kind * calls * 2, calls * 2, MPI_INT64_T, all, calls * 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) print_truth(kind, all, calls, size);
  }
  fflush(stdout);
  if (strcmp(mode, "others") == 0) make_other_calls(rank, half);
  free(own);
  free(all);
  MPI_Comm_free(&half);
  if (strcmp(mode, "killed") == 0) {
    PMPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
  }
  MPI_Finalize();
  return 0;
}
