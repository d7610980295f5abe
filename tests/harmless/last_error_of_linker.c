// A program calls a function of MPI for the first time between a failing dlopen() and dlerror(). The error was lost.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int is_there = dlopen("libplugin_of_user.so", RTLD_NOW) != NULL, all = 0;
  MPI_Allreduce(&is_there, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all) {
    char const* const error = dlerror();
    printf("%s\n", error != NULL ? error : "no error");
  }
  MPI_Finalize();
  return 0;
}
