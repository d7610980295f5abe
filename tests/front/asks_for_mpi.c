/* A program that works with and without MPI. It and its libraries ask in every way whether MPI is there: a library
 * that is linked with it asks before main(), one that is opened later (the first argument) when it is loaded. */
#include <dlfcn.h>
#include <stdio.h>

extern int MPI_Init(int*, char***) __attribute__((weak));
extern void mpi_init_(int*) __attribute__((weak));
int (*volatile by_pointer)(int*, char***) = MPI_Init;

int asks_of_library(void);

static void tell(char const* how, void* found) { printf("%s: %s\n", how, found == NULL ? "no" : "there"); }

int main(int argc, char** argv) {
  tell("weak", (void*)MPI_Init);
  tell("weak in Fortran", (void*)mpi_init_);
  tell("pointer", (void*)by_pointer);
  printf("library: %d\n", asks_of_library());
  for (int i = 0; i < 2; ++i) {
    tell("RTLD_DEFAULT", dlsym(RTLD_DEFAULT, "MPI_Init"));
    printf("error: %d\n", dlerror() != NULL);
    tell("RTLD_NEXT", dlsym(RTLD_NEXT, "MPI_Send"));
    tell("program", dlsym(dlopen(NULL, RTLD_LAZY), "mpi_send_"));
    printf("error: %d\n", dlerror() != NULL);
    if (argc < 2 || i == 1) continue;
    void* const library = dlopen(argv[1], RTLD_NOW);
    int (*const asks)(void) = (int (*)(void))dlsym(library, "asks_of_plugin");
    printf("plugin: %d\n", asks());
  }
  return 0;
}
