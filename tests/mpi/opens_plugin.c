/* Uses MPI in a library that is loaded at run time only:  opens_plugin LIBRARY local|global */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int const scope = argc > 2 && strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
  void* const library = dlopen(argv[1], RTLD_NOW | scope);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 9;
  int (*run)(void);
  *(void**)&run = dlsym(library, "run");
  int const result = run();
  dlclose(library);
  return result;
}
