/* A program that is linked with stand-ins for MPI. */
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Comm_rank(int comm, int* rank);
int MPI_Allreduce(void const* from, void* to, int count, int size, int op, int comm);
int MPI_Finalize(void);
void mpi_barrier_(int const* comm, int* error);
int mpi_init(void* number);

int main(int argc, char** argv) {
  int rank = -1, comm = 5, error = -1;
  double in = 21, out = 0;
  int const number = mpi_init(&in);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(&in, &out, 1, sizeof in, 1, comm);
  mpi_barrier_(&comm, &error);
  MPI_Finalize();
  printf("rank %d, result %g, error %d, number %d\n", rank, out, error, number);
  return 0;
}
