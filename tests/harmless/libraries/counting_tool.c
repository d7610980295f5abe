/* A user's own tool over PMPI. It implements Allreduce by other calls of MPI, and Barrier by Barrier. */
#include <mpi.h>
#include <stdio.h>

static int allreduces, barriers, reduces;

int MPI_Allreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++allreduces;
  int const result = MPI_Reduce(from, to, count, type, op, 0, comm);
  return result != MPI_SUCCESS ? result : MPI_Bcast(to, count, type, 0, comm);
}
int MPI_Reduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  ++reduces;
  return PMPI_Reduce(from, to, count, type, op, root, comm);
}
int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}
int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("tool: %d Allreduce, %d Reduce, %d Barrier\n", allreduces, reduces, barriers);
  return PMPI_Finalize();
}
