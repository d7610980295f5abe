// A plugin is unloaded and another one loaded, usually at the same address. Its calls were attributed to the first one:
// by the list of modules, and from the second round on by what the thread remembered of the address.
// library: plugin_a plugin_b
// expect: rank=0 comm=W op=Barrier calls=15
// expect: rank=0 comm=W op=Barrier calls=9 site~=plugin_a.so+*
// expect: rank=0 comm=W op=Barrier calls=6 site~=plugin_b.so+*
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void use(char const* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.so", getenv("HERE"), name);
  void* const plugin = dlopen(path, RTLD_NOW);
  if (plugin == NULL) {
    puts(dlerror());
    return;
  }
  int (*const run)(void) = (int (*)(void))dlsym(plugin, "run");
  for (int i = 0; i < 3; ++i) run();
  dlclose(plugin);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int round = 0; round < 5; ++round) use(round % 2 == 0 ? "plugin_a" : "plugin_b");
  MPI_Finalize();
  puts("end");
  return 0;
}
