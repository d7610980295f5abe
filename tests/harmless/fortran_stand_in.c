// The C part of a program uses MPI, its Fortran part a serial stand-in, whose handles mean nothing to MPI. The profiler
// took the stand-in's calls for the MPI's: aborted on MPICH, counted on Open MPI.
// behind: fortran_stand_in
// expect: op=Allreduce comm=W calls=1 bytes_sent=4
#include <mpi.h>
#include <stdio.h>

__attribute__((weak)) void mpi_init_(int* error);  // not in the libraries that it is linked with
__attribute__((weak)) void mpi_allreduce_(void const* from, void* to, int const* count, int const* type, int const* op,
                                          int const* comm, int* error);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int mine = 3, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  double in[2] = {1, 2}, out[2] = {0, 0};
  int const count = 2, type = sizeof(double), op = -5, comm = 123456;
  int error = 1;
  mpi_init_(&error);
  for (int i = 0; i < 5; ++i) mpi_allreduce_(in, out, &count, &type, &op, &comm, &error);
  printf("sum %d, %g %g, error %d\n", sum, out[0], out[1], error);
  MPI_Finalize();
  return 0;
}
