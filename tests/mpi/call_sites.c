/* A program whose lines with MPI calls are marked, for call_sites.py: each mark is CALLS of an operation on each rank.
 */
#define _GNU_SOURCE
#include <commprof/commprof.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void exchange(double* both, int partner, MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(&both[0], 1, MPI_DOUBLE, partner, 0, comm, &requests[0]); /* Irecv 7 */
  MPI_Isend(&both[1], 1, MPI_DOUBLE, partner, 0, comm, &requests[1]); /* Isend 7 */
  MPI_Waitall(2, requests, statuses);                                 /* Waitall 7 */
}

int main(int argc, char** argv) {
  double both[2] = {1, 2};
  MPI_Comm comm, half;
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);         /* Comm_dup 1 */
  MPI_Comm_split(comm, rank % 2, rank, &half); /* Comm_split 1 */
  for (int i = 0; i < 7; ++i) exchange(both, (rank + ranks / 2) % ranks, comm);
  for (int i = 0; i < 5; ++i) {
    MPI_Allreduce(&both[0], &both[1], 1, MPI_DOUBLE, MPI_SUM, half); /* Allreduce 5 */
    MPI_Allreduce(&both[0], &both[1], 1, MPI_DOUBLE, MPI_SUM, half); /* Allreduce 5 */
  }
  commprof_region_begin("solve");
  for (int i = 0; i < 3; ++i) MPI_Barrier(half); /* Barrier 3 */
  commprof_region_end("solve");
  /* This line is called in two regions, and outside any region. */
  for (int i = 0; i < 3; ++i) {
    if (i > 0) commprof_region_begin(i == 1 ? "a" : "b");
    MPI_Barrier(comm); /* Barrier 3 */
    if (i > 0) commprof_region_end(NULL);
  }
  if (argc > 1) {
    void* const plugin = dlopen(argv[1], RTLD_NOW);
    void (*const call)(void) = plugin == NULL ? NULL : (void (*)(void))dlsym(plugin, "plugin_calls");
    if (call == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    call();
  }
  if (argc > 2) abort();
  MPI_Comm_free(&half); /* Comm_free 1 */
  MPI_Comm_free(&comm); /* Comm_free 1 */
  MPI_Finalize();
  return 0;
}
