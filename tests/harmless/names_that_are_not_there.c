// MPI_Pcontrol without the name that a level takes, with something else there, and a name that a page's last byte ends.
// says: the end of region (any) while none is open
// expect: op=Barrier region=main calls=1
// expect: op=Barrier region=(unnamed) calls=1
// expect: op=Barrier region=edge calls=1
// expect: run.json dropped.region_ends_ignored=1
#include <commprof/commprof.h>
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Pcontrol(-1, (char*)1), MPI_Pcontrol(4711), MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(COMMPROF_REGION_BEGIN, (char*)1), MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(COMMPROF_REGION_END);
  size_t const page = (size_t)sysconf(_SC_PAGESIZE);
  char* const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(pages + page, page);
  MPI_Pcontrol(COMMPROF_REGION_BEGIN, strcpy(pages + page - 5, "edge")), MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(COMMPROF_REGION_END), MPI_Pcontrol(COMMPROF_REGION_END);
  MPI_Finalize();
}
