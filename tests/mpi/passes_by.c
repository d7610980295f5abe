/* Makes calls that no PMPI library sees:  passes_by all|most. "most": all but the first and the last. */
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  int const all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (all) PMPI_Init(&argc, &argv);
  else MPI_Init(&argc, &argv);
  PMPI_Barrier(MPI_COMM_WORLD);
  if (all) PMPI_Finalize();
  else MPI_Finalize();
  return 0;
}
