/* A serial stand-in for MPI, as MUMPS and others bring one: no PMPI, and handles of its own. */
#include <stddef.h>
#include <string.h>

int MPI_Init(int* argc, char*** argv) { return (void)argc, (void)argv, 0; }
int MPI_Comm_rank(int comm, int* rank) { return (void)comm, *rank = 0; }
int MPI_Allreduce(void const* from, void* to, int count, int size, int op, int comm) {
  (void)op, (void)comm;
  return memcpy(to, from, (size_t)count * (size_t)size), 0;
}
int MPI_Finalize(void) { return 0; }
void mpi_barrier_(int const* comm, int* error) { (void)comm, *error = 0; }
/* A function of a library for large numbers. */
int mpi_init(void* number) { return (void)number, 17; }
