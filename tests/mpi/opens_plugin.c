/* Uses MPI only in a library that is loaded at run time:  opens_plugin LIBRARY local|global|deep [BEFORE].
 * "deep": the library searches its own dependencies first, as in Julia's packages. BEFORE is loaded before it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  char const* const wanted = argc > 2 ? argv[2] : "local";
  int const scope = strcmp(wanted, "global") == 0 ? RTLD_GLOBAL
                    : strcmp(wanted, "deep") == 0 ? RTLD_LOCAL | RTLD_DEEPBIND
                                                  : RTLD_LOCAL;
  void* const before = argc > 3 ? dlopen(argv[3], RTLD_NOW) : NULL;
  void* const library = dlopen(argv[1], RTLD_NOW | scope);
  if (library == NULL || (argc > 3 && before == NULL)) return fprintf(stderr, "%s\n", dlerror()), 9;
  int (*run)(void);
  *(void**)&run = dlsym(library, "run");
  int const result = run();
  dlclose(library);
  return result;
}
