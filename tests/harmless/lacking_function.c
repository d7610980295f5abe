// A program asks in three ways whether the MPI has MPI_Session_init. It was told that an MPI of version 3 has it, and
// ended with 127 when it called it.
// mpi: openmpi
// expect: op=Barrier comm=W calls=1
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

extern int MPI_Session_init(void*, void*, void*) __attribute__((weak));

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const by_default = dlsym(RTLD_DEFAULT, "MPI_Session_init");
  void* const by_program = dlsym(dlopen(NULL, RTLD_LAZY), "MPI_Session_init");
  void* const there = dlsym(RTLD_DEFAULT, "MPI_Barrier");
  printf("weak %d, default %d, program %d, Barrier %d\n", MPI_Session_init != NULL, by_default != NULL,
         by_program != NULL, there != NULL);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (MPI_Session_init) MPI_Session_init(NULL, NULL, NULL);
  MPI_Finalize();
  return 0;
}
