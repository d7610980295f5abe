/* Calls of C on one communicator, those calls as Open MPI 6's mpi_f08 makes them on a second, and with large counts on
   a third. */
#include "descriptors.h"

#include <mpi.h>

extern MPI_Fint mpi_fortran_in_place_;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, from[100] = {0}, to[100], all[64];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm in_c, in_fortran;
  MPI_Comm_dup(MPI_COMM_WORLD, &in_c);
  MPI_Comm_dup(MPI_COMM_WORLD, &in_fortran);
  int const next = (rank + 1) % size, before = (rank + size - 1) % size;

  MPI_Request requests[2];
  MPI_Irecv(to, 100, MPI_INT, before, 7, in_c, &requests[0]);
  MPI_Isend(from, 100, MPI_INT, next, 7, in_c, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, in_c);

  struct descriptor const send = {from}, receive = {to}, gathered = {all}, in_place = {&mpi_fortran_in_place_};
  MPI_Fint const none = 0, one = 1, hundred = 100, tag = 7, source = before, dest = next;
  MPI_Fint const type = MPI_Type_c2f(MPI_INT), no_type = MPI_Type_c2f(MPI_DATATYPE_NULL),
                 comm = MPI_Comm_c2f(in_fortran);
  MPI_Fint handles[2], error;
  mpi_irecv_f08ts_(&receive, &hundred, &type, &source, &tag, &comm, &handles[0], &error);
  mpi_isend_f08ts_(&send, &hundred, &type, &dest, &tag, &comm, &handles[1], 0);
  for (int i = 0; i < 2; ++i) requests[i] = MPI_Request_f2c(handles[i]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  mpi_allgather_f08ts_(&in_place, &none, &no_type, &gathered, &one, &type, &comm, &error);

  MPI_Comm with_large_counts;
  MPI_Comm_dup(MPI_COMM_WORLD, &with_large_counts);
  MPI_Irecv(to, 100, MPI_INT, before, 7, with_large_counts, &requests[0]);
  MPI_Isend_c(from, 100, MPI_INT, next, 7, with_large_counts, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, with_large_counts);
  MPI_Finalize();
  return 0;
}
