/* Converts the calls of a program for an MPI that is chosen at run time: it loads the library of the variable MPI_LIB,
   and asks that one for its functions, and the library of MPI_FORTRAN_LIB for those of Fortran. As a communicator, the
   world is 1 here. Without a definition, it opens the MPI at the first call, out of the program's sight; Mukautuva gets
   MPI_Init and MPI_Finalize so.

   -DWITH_PROFILING: it has the functions of the profiling interface, too, and opens the MPI when it is loaded.
   -DIS_GLOBAL: the MPI is in the global scope. Wi4MPI does this and the former.
   -DTHROUGH_WRAPPER: MPI_LIB is not an MPI, but a library that is linked with one (wrapper.c), opened with
   RTLD_DEEPBIND, so that its calls do not come back. MPItrampoline does this and the first. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(THROUGH_WRAPPER)
enum { mode = RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND };
#define NAME(name) "WRAPPED_" name
#elif defined(IS_GLOBAL)
enum { mode = RTLD_LAZY | RTLD_GLOBAL };
#define NAME(name) name
#else
enum { mode = RTLD_LAZY | RTLD_LOCAL };
#define NAME(name) name
#endif

static void* open_library(char const* variable) {
  char const* const path = getenv(variable);
  void* const opened = path == NULL ? NULL : dlopen(path, mode);
  if (opened != NULL) return opened;
  fprintf(stderr, "%s: %s\n", variable, path == NULL ? "not set" : dlerror());
  exit(1);
}

static void* find(void* library, char const* name) {
  void* const found = dlsym(library, name);
  if (found != NULL) return found;
  fprintf(stderr, "no %s: %s\n", name, dlerror());
  exit(1);
}

static void* library(void) {
  static void* opened;
  if (opened == NULL) opened = open_library("MPI_LIB");
  return opened;
}

static void* fortran_library(void) {
#ifdef THROUGH_WRAPPER
  return library();
#else
  static void* opened;
  if (opened == NULL) opened = open_library("MPI_FORTRAN_LIB");
  return opened;
#endif
}

static int is_in_mpi;  // the MPI's library for Fortran may call functions of C, with the MPI's handles

static void* world_of_open_mpi(void) { return dlsym(library(), "ompi_mpi_comm_world"); }
static void* convert(void* comm) {
  if (is_in_mpi) return comm;
  if (comm != (void*)1) abort(); /* has not come from the program */
  return world_of_open_mpi() != NULL ? world_of_open_mpi() : (void*)0x44000000;
}

#define CALL(name, ...) ((int (*)(__VA_ARGS__))find(library(), NAME(#name)))
#define DEFINE(name)                                                                            \
  int name##Init(int* argc, char*** argv) { return CALL(MPI_Init, int*, char***)(argc, argv); } \
  int name##Finalize(void) { return CALL(MPI_Finalize, void)(); }                               \
  int name##Barrier(void* comm) { return CALL(MPI_Barrier, void*)(convert(comm)); }             \
  int name##Comm_size(void* comm, int* size) { return CALL(MPI_Comm_size, void*, int*)(convert(comm), size); }

DEFINE(MPI_)
void mpi_barrier_(int const* comm, int* error) {
  int const world = world_of_open_mpi() != NULL ? 0 : 0x44000000;
  if (*comm != 1) abort();
  is_in_mpi = 1;
  ((void (*)(int const*, int*))find(fortran_library(), NAME("mpi_barrier_")))(&world, error);
  is_in_mpi = 0;
}
#ifdef WITH_PROFILING
DEFINE(PMPI_)
__attribute__((constructor)) static void open_mpi(void) { find(library(), NAME("MPI_Init")); }
#endif
