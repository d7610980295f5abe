/* A program that tells the profiler the parts of its run, and that one of them is not to be counted. It needs the
 * header only: without the profiler it runs just the same. In a profile the operations belong to
 *
 *   main              what is outside of any region
 *   solve             the steps of an iteration
 *   solve/exchange    their messages
 *
 * Usage: mpirun -n N phases [STEPS] */
#include <commprof/commprof.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 1024 }; /* doubles that go to a neighbour */

static void exchange(double* out, double* in, int left, int right) {
  commprof_region_begin("exchange");
  MPI_Sendrecv(out, width, MPI_DOUBLE, right, 0, in, width, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  commprof_region_end("exchange");
}

static double step(double* own, double const* of_neighbour) {
  double change = 0;
  for (int i = 0; i < width; ++i) {
    double const next = 0.5 * (own[i] + of_neighbour[i]);
    change += (next - own[i]) * (next - own[i]);
    own[i] = next;
  }
  return change;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const steps = argc > 1 ? atoi(argv[1]) : 100;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static double own[width], of_neighbour[width];
  for (int i = 0; i < width; ++i) own[i] = rank + i;

  double change = 0, all_change = 0;
  commprof_region_begin("solve");
  for (int i = 0; i < steps; ++i) {
    exchange(own, of_neighbour, (rank + size - 1) % size, (rank + 1) % size);
    change = step(own, of_neighbour);
    MPI_Allreduce(&change, &all_change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  commprof_region_end("solve");

  /* A check of the result is no part of what is to be looked at. */
  double sum = 0, all_sum = 0;
  MPI_Pcontrol(COMMPROF_PAUSE);
  for (int i = 0; i < width; ++i) sum += own[i];
  MPI_Reduce(&sum, &all_sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(COMMPROF_RESUME);
  if (rank == 0) printf("%d steps, change %.6f, sum %.6f\n", steps, all_change, all_sum);
  MPI_Finalize();
  return 0;
}
