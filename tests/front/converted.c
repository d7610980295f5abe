/* A program for converter.c. With an argument, it also calls the function of Fortran. */
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Barrier(void* comm);
int MPI_Comm_size(void* comm, int* size);
void mpi_barrier_(int const* comm, int* error);

int main(int argc, char** argv) {
  int const started = MPI_Init(&argc, &argv), fortran_world = 1;
  void* const world = (void*)1;
  int size = 0, error = 0;
  MPI_Comm_size(world, &size);
  for (int i = 0; i < 3; ++i) MPI_Barrier(world);
  if (argc > 1)
    for (int i = 0; i < 2; ++i) mpi_barrier_(&fortran_world, &error);
  printf("started %d, size %d, error %d, finished %d\n", started, size, error, MPI_Finalize());
  return 0;
}
