/* A library with a call of its own, for call_sites.c. */
#include <mpi.h>

void plugin_calls(void);

void plugin_calls(void) {
  for (int i = 0; i < 2; ++i) MPI_Barrier(MPI_COMM_WORLD); /* Barrier 2 */
}
