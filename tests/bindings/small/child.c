/* The program that the others spawn: connects to its parents and ends. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Comm parents;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parents);
  if (parents != MPI_COMM_NULL) MPI_Comm_disconnect(&parents);
  MPI_Finalize();
  return 0;
}
