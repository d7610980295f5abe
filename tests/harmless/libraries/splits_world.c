/* A layer as of in-situ analysis: the last rank serves, the program sees a world without it. */
#include <mpi.h>
#include <stdlib.h>

static MPI_Comm smaller_world = MPI_COMM_NULL;
static MPI_Comm of_layer(MPI_Comm comm) { return comm == MPI_COMM_WORLD ? smaller_world : comm; }

int MPI_Init(int* argc, char*** argv) {
  int const result = PMPI_Init(argc, argv);
  int rank, size;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  int const serves = size > 1 && rank == size - 1;
  PMPI_Comm_split(MPI_COMM_WORLD, serves, rank, &smaller_world);
  if (serves) {
    PMPI_Finalize();
    exit(0);
  }
  return result;
}
int MPI_Comm_rank(MPI_Comm comm, int* rank) { return PMPI_Comm_rank(of_layer(comm), rank); }
int MPI_Comm_size(MPI_Comm comm, int* size) { return PMPI_Comm_size(of_layer(comm), size); }
int MPI_Allreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return PMPI_Allreduce(from, to, count, type, op, of_layer(comm));
}
