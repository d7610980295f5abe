/* A program for converter.c. */
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Barrier(int comm);
int MPI_Comm_size(int comm, int* size);

int main(int argc, char** argv) {
  int const started = MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(1, &size);
  for (int i = 0; i < 3; ++i) MPI_Barrier(1);
  printf("started %d, size %d, finished %d\n", started, size, MPI_Finalize());
  return 0;
}
