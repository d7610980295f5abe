/* A program for converter.c. */
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Barrier(int comm);

int main(int argc, char** argv) {
  int const started = MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) MPI_Barrier(1);
  printf("started %d, finished %d\n", started, MPI_Finalize());
  return 0;
}
