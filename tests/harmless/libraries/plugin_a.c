// One of two libraries of the same code, to be loaded one after the other.
#include <mpi.h>

int run(void);
int run(void) {
  int const result = MPI_Barrier(MPI_COMM_WORLD);
  return result + 1;  // no tail call
}
