/* A tool over the profiling interface of Fortran. */
#include <stdio.h>

static int barriers;

void pmpi_barrier_(int* comm, int* error);
void pmpi_finalize_(int* error);
void mpi_barrier_(int* comm, int* error) {
  ++barriers;
  pmpi_barrier_(comm, error);
}
void mpi_finalize_(int* error) {
  printf("tool: %d Barrier\n", barriers);
  fflush(stdout);
  pmpi_finalize_(error);
}
