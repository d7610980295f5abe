/* Converts the calls of a program for an MPI that is chosen at run time, as Mukautuva does: the library of the variable
   MPI_LIB is loaded out of the program's sight, and asked for its functions. Communicators are integers here: 1 is the
   world. With -DWITH_PROFILING it has the functions of the profiling interface, too, and opens the MPI when it is
   loaded, as MPItrampoline does. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void* library;

static void* of_mpi(char const* name) {
  if (library == NULL) library = dlopen(getenv("MPI_LIB"), RTLD_LAZY | RTLD_LOCAL);
  void* const found = library == NULL ? NULL : dlsym(library, name);
  if (found != NULL) return found;
  fprintf(stderr, "no %s: %s\n", name, dlerror());
  exit(1);
}

static void* world(void) {
  void* const of_open_mpi = library == NULL ? NULL : dlsym(library, "ompi_mpi_comm_world");
  return of_open_mpi != NULL ? of_open_mpi : (void*)0x44000000;
}

#define INIT(name) \
  int name(int* argc, char*** argv) { return ((int (*)(int*, char***))of_mpi("MPI_Init"))(argc, argv); }
#define FINALIZE(name) \
  int name(void) { return ((int (*)(void))of_mpi("MPI_Finalize"))(); }
#define BARRIER(name) \
  int name(int comm) { return comm == 1 ? ((int (*)(void*))of_mpi("MPI_Barrier"))(world()) : -1; }
#define COMM_SIZE(name)                                                    \
  int name(int comm, int* size) {                                          \
    if (comm != 1) abort(); /* has not come from the program */            \
    return ((int (*)(void*, int*))of_mpi("MPI_Comm_size"))(world(), size); \
  }
INIT(MPI_Init)
COMM_SIZE(MPI_Comm_size)
FINALIZE(MPI_Finalize)
BARRIER(MPI_Barrier)
#ifdef WITH_PROFILING
INIT(PMPI_Init)
COMM_SIZE(PMPI_Comm_size)
FINALIZE(PMPI_Finalize)
BARRIER(PMPI_Barrier)
__attribute__((constructor)) static void open_mpi(void) { of_mpi("MPI_Init"); }
#endif
