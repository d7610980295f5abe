/* The part of mixed.F90 that is in C. */
#include <mpi.h>

void use_and_duplicate(MPI_Fint const* comm, MPI_Fint* duplicate) {
  MPI_Comm const given = MPI_Comm_f2c(*comm);
  MPI_Comm made;
  MPI_Barrier(given);
  MPI_Comm_dup(given, &made);
  MPI_Barrier(made);
  *duplicate = MPI_Comm_c2f(made);
}

void split_in_c(MPI_Fint const* comm, MPI_Fint* half) {
  MPI_Comm made;
  int rank;
  MPI_Comm_rank(MPI_Comm_f2c(*comm), &rank);
  MPI_Comm_split(MPI_Comm_f2c(*comm), rank % 2, rank, &made);
  *half = MPI_Comm_c2f(made);
}

void wait_in_c(MPI_Fint* request) {
  MPI_Request given = MPI_Request_f2c(*request);
  MPI_Wait(&given, MPI_STATUS_IGNORE);
  *request = MPI_Request_c2f(given);
}

void receive_in_c(MPI_Fint const* comm, MPI_Fint* request) {
  static int room[10];
  MPI_Request issued;
  MPI_Irecv(room, 10, MPI_INT, 0, 4, MPI_Comm_f2c(*comm), &issued);
  *request = MPI_Request_c2f(issued);
}

void free_in_c(MPI_Fint* comm) {
  MPI_Comm given = MPI_Comm_f2c(*comm);
  MPI_Comm_free(&given);
}
