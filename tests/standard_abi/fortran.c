// A library that has a function of Fortran for an MPI with the standard ABI, as an MPI or another project may have.
// With -DIS_PROGRAM: a program that initialises MPI in C and calls the function.
#include <stdio.h>

#include "mpi.h"

void mpi_barrier_(int const* comm, int* error);
void pmpi_barrier_(int const* comm, int* error);
void pmpi_init_(int* error);

#ifdef IS_PROGRAM
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const world = 0;
  int errors[] = {1, 1};
  for (int i = 0; i < 2; ++i) mpi_barrier_(&world, &errors[i]);
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Finalize();
  printf("%d failures\n", errors[0] + errors[1]);
  return 0;
}
#else
void mpi_barrier_(int const* comm, int* error) {
  (void)comm;
  *error = MPI_Barrier(MPI_COMM_WORLD);
}
// As a library of an MPI does, it also has names of the profiling interface.
void pmpi_barrier_(int const* comm, int* error) {
  (void)comm;
  *error = PMPI_Barrier(MPI_COMM_WORLD);
}
void pmpi_init_(int* error) { *error = PMPI_Init(NULL, NULL); }
#endif
