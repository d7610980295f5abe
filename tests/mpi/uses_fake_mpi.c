/* A program linked with the MPI in fake_mpi.c. It also calls the profiler's functions. */
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Barrier(void* comm);
int MPI_Finalize(void);
void commprof_region_begin(char const* name) __attribute__((weak));
int commprof_comm_name(void* comm, char* name, int size) __attribute__((weak));

int main(int argc, char** argv) {
  int const failed = MPI_Init(&argc, &argv) + MPI_Barrier(0);
  if (commprof_region_begin) commprof_region_begin("within");
  int const is_read = commprof_comm_name && commprof_comm_name(0, 0, 0) == 0;
  printf("failed %d, read %d\n", failed + MPI_Finalize(), is_read);
  return 0;
}
