/* Functions of Open MPI 6's library for mpi_f08, whose buffers are descriptors, and one with large counts. */
#include <mpi.h>

/* Begins as CFI_cdesc_t does. */
struct descriptor {
  void* base_addr;
};

void mpi_irecv_f08ts_(struct descriptor const* buf, MPI_Fint const* count, MPI_Fint const* datatype,
                      MPI_Fint const* source, MPI_Fint const* tag, MPI_Fint const* comm, MPI_Fint* request,
                      MPI_Fint* ierror);
void mpi_isend_f08ts_(struct descriptor const* buf, MPI_Fint const* count, MPI_Fint const* datatype,
                      MPI_Fint const* dest, MPI_Fint const* tag, MPI_Fint const* comm, MPI_Fint* request,
                      MPI_Fint* ierror);
void mpi_allgather_f08ts_(struct descriptor const* sendbuf, MPI_Fint const* sendcount, MPI_Fint const* sendtype,
                          struct descriptor const* recvbuf, MPI_Fint const* recvcount, MPI_Fint const* recvtype,
                          MPI_Fint const* comm, MPI_Fint* ierror);

/* mpi.h has it since Open MPI 6. */
int MPI_Isend_c(void const* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request);
int PMPI_Isend_c(void const* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request);
