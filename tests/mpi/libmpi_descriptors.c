/* A stand-in for a newer Open MPI: for version 6's library for mpi_f08, whose functions call the profiling interface,
   and for a function with large counts. */
#include "descriptors.h"

extern MPI_Fint mpi_fortran_in_place_;
void pmpi_init_f08_(MPI_Fint* ierror) { *ierror = PMPI_Init(0, 0); } /* by which the library is known */

static void tell(MPI_Fint* ierror, int result) {
  if (ierror) *ierror = result;
}

void mpi_irecv_f08ts_(struct descriptor const* buf, MPI_Fint const* count, MPI_Fint const* datatype,
                      MPI_Fint const* source, MPI_Fint const* tag, MPI_Fint const* comm, MPI_Fint* request,
                      MPI_Fint* ierror) {
  MPI_Request made;
  tell(ierror,
       PMPI_Irecv(buf->base_addr, *count, PMPI_Type_f2c(*datatype), *source, *tag, PMPI_Comm_f2c(*comm), &made));
  *request = PMPI_Request_c2f(made);
}
void mpi_isend_f08ts_(struct descriptor const* buf, MPI_Fint const* count, MPI_Fint const* datatype,
                      MPI_Fint const* dest, MPI_Fint const* tag, MPI_Fint const* comm, MPI_Fint* request,
                      MPI_Fint* ierror) {
  MPI_Request made;
  tell(ierror, PMPI_Isend(buf->base_addr, *count, PMPI_Type_f2c(*datatype), *dest, *tag, PMPI_Comm_f2c(*comm), &made));
  *request = PMPI_Request_c2f(made);
}
void mpi_allgather_f08ts_(struct descriptor const* sendbuf, MPI_Fint const* sendcount, MPI_Fint const* sendtype,
                          struct descriptor const* recvbuf, MPI_Fint const* recvcount, MPI_Fint const* recvtype,
                          MPI_Fint const* comm, MPI_Fint* ierror) {
  void const* const from = sendbuf->base_addr == &mpi_fortran_in_place_ ? MPI_IN_PLACE : sendbuf->base_addr;
  tell(ierror, PMPI_Allgather(from, *sendcount, PMPI_Type_f2c(*sendtype), recvbuf->base_addr, *recvcount,
                              PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)));
}

int PMPI_Isend_c(void const* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return PMPI_Isend(buf, (int)count, datatype, dest, tag, comm, request);
}
int MPI_Isend_c(void const* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return PMPI_Isend_c(buf, count, datatype, dest, tag, comm, request);
}
