// Opens libraries that call MPI, as an interpreter opens its modules: bench_opens FILE…
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    void* const library = dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr || dlsym(library, "calls_mpi") == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  }
}
