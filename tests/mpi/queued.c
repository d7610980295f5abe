/* queued STEPS MODE PROCESSOR: two processes on one processor. "outside": both compute, and meet in a barrier.
 * "inside": rank 1 waits for rank 0, which computes. The second half of the steps is in a region. */
#define _GNU_SOURCE
#include <commprof/commprof.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void compute(double ms) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  double const end = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 + ms;
  while ((double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 < end) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
}

int main(int argc, char** argv) {
  int rank, value = 0;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)atoi(argv[3]), &one);
  MPI_Init(&argc, &argv);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < atoi(argv[1]); ++step) {
    if (2 * step == atoi(argv[1])) MPI_Pcontrol(COMMPROF_REGION_BEGIN, "half");
    if (strcmp(argv[2], "outside") == 0 || rank == 0) compute(20);
    if (strcmp(argv[2], "outside") == 0) MPI_Barrier(MPI_COMM_WORLD);
    else if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Pcontrol(COMMPROF_REGION_END);
  return MPI_Finalize();
}
