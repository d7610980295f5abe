// COMMPROF_PCONTROL=ipm: the levels of MPI_Pcontrol as programs written for IPM use them; all other levels as usual.
// says: the end of region halo within solve
// says: the end of region (any) while none is open
// env: COMMPROF_PCONTROL=ipm
// expect: op=Barrier region=main calls=2
// expect: op=Barrier region=solve calls=3
// expect: op=Barrier region=solve/halo calls=2
// expect: op=Barrier region=edge calls=1
// expect: regions.csv region=solve/halo entered=2
// expect: run.json dropped.region_ends_ignored=2
#include <commprof/commprof.h>
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
  // Left out, with something else where the name would be; and a name that the last byte of a page ends.
  MPI_Pcontrol(-1, (char*)1);
  size_t const page = (size_t)sysconf(_SC_PAGESIZE);
  char* const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(pages + page, page);
  MPI_Pcontrol(1, strcpy(pages + page - 5, "edge")), barrier();
  MPI_Pcontrol(-1, "edge");
  MPI_Finalize();
}
