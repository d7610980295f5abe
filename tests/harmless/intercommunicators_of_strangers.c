// Each two ranks make a communicator of their MPI_COMM_SELFs. The pairs have nothing to do with each other, so neither
// their calls nor their waiting may be added up in one row.
// ranks: 4
// expect: communicators.csv comm=W_i1.0.1 size=2 members=0-1 parent=W
// expect: communicators.csv comm=W_i1.2.3 size=2 members=2-3 parent=W
// expect: comm=W_i1.0.1_m1 op=Barrier calls=40
// expect: comm=W_i1.2.3_m1 op=Barrier calls=40
// expect: waits.csv comm=W_i1.0.1_m1 op=Barrier
// expect: waits.csv comm=W_i1.2.3_m1 op=Barrier
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm inter, pair;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, rank ^ 1, 0, &inter);
  MPI_Intercomm_merge(inter, rank & 1, &pair);
  for (int i = 0; i < 20; ++i) MPI_Barrier(pair);
  MPI_Comm_free(&pair);
  MPI_Comm_free(&inter);
  MPI_Finalize();
  return 0;
}
