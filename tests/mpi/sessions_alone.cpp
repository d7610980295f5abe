// A program that never calls MPI_Init: its calls in sessions are profiled, and written when the last session closes.
#include <mpi.h>

#include <cstdio>

int main() {
  MPI_Session first, session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_finalize(&first);
  MPI_Group all;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  int rank = 0, size = 0;
  MPI_Group_rank(all, &rank);
  MPI_Group_size(all, &size);

  MPI_Comm world, copy;
  MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
  MPI_Comm_dup(world, &copy);
  int const one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
  MPI_Request request;
  MPI_Irecv(&sum, 1, MPI_INT, (rank + 1) % size, 1, world, &request);
  MPI_Send(&one, 1, MPI_INT, (rank + size - 1) % size, 1, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);

  // Even ranks, odd ranks, and an intercommunicator between them.
  int const parity = rank % 2;
  MPI_Group half;
  int range[1][3] = {{parity, parity + (size - 1 - parity) / 2 * 2, 2}};
  MPI_Group_range_incl(all, 1, range, &half);
  MPI_Comm half_comm;
  MPI_Comm_create_from_group(half, parity == 0 ? "even" : "odd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &half_comm);
  MPI_Barrier(half_comm);
  MPI_Comm_free(&half_comm);
  if (size > 1) {
    int const other_parity = 1 - parity;
    int other_range[1][3] = {{other_parity, other_parity + (size - 1 - other_parity) / 2 * 2, 2}};
    MPI_Group other;
    MPI_Group_range_incl(all, 1, other_range, &other);
    MPI_Comm between;
    MPI_Intercomm_create_from_groups(half, 0, other, 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
    MPI_Barrier(between);
    MPI_Comm_free(&between);
    MPI_Group_free(&other);
  }
  MPI_Comm_free(&world);
  MPI_Group_free(&half);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
  std::printf("done\n");
}
