// COMMPROF_PCONTROL=ipm: the levels of MPI_Pcontrol as programs written for IPM use them; all other levels as usual.
// says: the end of region halo within solve
// env: COMMPROF_PCONTROL=ipm
// expect: op=Barrier region=main calls=2
// expect: op=Barrier region=solve calls=3
// expect: op=Barrier region=solve/halo calls=2
// expect: regions.csv region=solve/halo entered=2
// expect: run.json dropped.region_ends_ignored=1
#include <commprof/commprof.h>
#include <mpi.h>

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Pcontrol(1, "solve"), barrier();
  MPI_Pcontrol(1, "halo");
  MPI_Pcontrol(0, "an event"), barrier();  // no pause
  MPI_Pcontrol(-1, "halo"), barrier();
  MPI_Pcontrol(COMMPROF_REGION_BEGIN, "halo"), barrier();
  MPI_Pcontrol(COMMPROF_REGION_END);
  MPI_Pcontrol(-1, "halo"), barrier();  // not the innermost one
  MPI_Pcontrol(-1, "solve"), barrier();
  MPI_Pcontrol(4711), barrier();
  MPI_Finalize();
}
