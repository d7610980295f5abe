/* A program with several communicators: processes on a periodic grid exchange borders with their neighbours, sum along
 * their row, and every tenth step gather a line of results per column. The communicators show in a profile as
 *
 *   W_a1        the grid (MPI_Cart_create on MPI_COMM_WORLD)
 *   W_a1_b1.*   its rows (MPI_Cart_sub), one communicator each
 *   W_a1_b2.*   its columns
 *   W_d2        a duplicate of MPI_COMM_WORLD for the monitoring of progress
 *
 * Usage: mpirun -n N grid [STEPS] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 512 }; /* doubles in a border */

static void exchange_borders(MPI_Comm grid, double* inner, double* outer) {
  MPI_Request requests[8];
  int n = 0;
  for (int dimension = 0; dimension < 2; ++dimension) {
    int below, above;
    MPI_Cart_shift(grid, dimension, 1, &below, &above);
    double* in = outer + 2 * dimension * width;
    double* out = inner + 2 * dimension * width;
    MPI_Irecv(in, width, MPI_DOUBLE, below, 0, grid, &requests[n++]);
    MPI_Irecv(in + width, width, MPI_DOUBLE, above, 1, grid, &requests[n++]);
    MPI_Isend(out, width, MPI_DOUBLE, above, 0, grid, &requests[n++]);
    MPI_Isend(out + width, width, MPI_DOUBLE, below, 1, grid, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void compute(double const* outer, double* inner) {
  for (int sweep = 0; sweep < 20; ++sweep)
    for (int i = 0; i < 4 * width; ++i) inner[i] = 0.5 * inner[i] + 0.25 * (outer[i] + 1.0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const steps = argc > 1 ? atoi(argv[1]) : 200;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int dims[2] = {0, 0}, periods[2] = {1, 1}, keep_row[2] = {0, 1}, keep_column[2] = {1, 0};
  MPI_Comm grid, row, column, progress;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_dup(MPI_COMM_WORLD, &progress);
  MPI_Cart_sub(grid, keep_row, &row);
  MPI_Cart_sub(grid, keep_column, &column);
  MPI_Comm_set_name(row, "row");
  MPI_Comm_set_name(column, "column");

  double* inner = calloc(4 * width, sizeof *inner);
  double* outer = calloc(4 * width, sizeof *outer);
  double* line = calloc((size_t)dims[0] * width, sizeof *line);
  double residual = 0;
  for (int step = 1; step <= steps; ++step) {
    exchange_borders(grid, inner, outer);
    compute(outer, inner);
    MPI_Allreduce(&inner[0], &residual, 1, MPI_DOUBLE, MPI_SUM, row);
    if (step % 10 == 0) MPI_Gather(inner, width, MPI_DOUBLE, line, width, MPI_DOUBLE, 0, column);
    if (step % 50 == 0) MPI_Bcast(&residual, 1, MPI_DOUBLE, 0, progress);
  }
  if (rank == 0) printf("%d steps on a grid of %d x %d, residual %.6f\n", steps, dims[0], dims[1], residual);

  free(line);
  free(outer);
  free(inner);
  MPI_Comm_free(&column);
  MPI_Comm_free(&row);
  MPI_Comm_free(&progress);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
