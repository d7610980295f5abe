// Intercommunicators are made and merged in a loop, beyond COMMPROF_MAX_COMMS. Both sides know each communicator by the
// same name, and fold alike.
// ranks: 2 4
// env: COMMPROF_MAX_COMMS=2
// expect: rank=0 comm=W_i1.0.1.t9_m1 op=Barrier calls=1 ranks=2
// expect: rank=1 comm=W_i1.0.1.t9_m1 op=Barrier calls=1 ranks=2
// expect: rank=0 comm=W_i2.0.1.t9_m1 op=Barrier calls=1 ranks=2
// expect: rank=1 comm=W_i2.0.1.t9_m1 op=Barrier calls=1 ranks=2
// expect: rank=0 comm=W_i1.0-2:2.1-3:2.t9_m1 op=Barrier calls=1 ranks=4
// expect: rank=3 comm=W_i1.0-2:2.1-3:2.t9_m1 op=Barrier calls=1 ranks=4
// expect: comm=W_m* op=Barrier calls=196 ranks=2
// expect: comm=W_m* op=Barrier calls=392 ranks=4
// expect: comm=W_i* op=Comm_free calls=196 ranks=2
// expect: communicators.csv comm=W_i* freed=1 rows=1
// expect: communicators.csv created_by=Intercomm_merge rows=3
// expect: communicators.csv created_by=Intercomm_create rows=3
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm half, inter, both;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int i = 0; i < 100; ++i) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
    MPI_Intercomm_merge(inter, 0, &both);
    MPI_Barrier(both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&inter);
  }
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
