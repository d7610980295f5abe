// Prints the value of an environment variable once MPI has started.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char const* const value = std::getenv(argv[1]);
  std::puts(value == nullptr ? "not set" : value);
  std::fflush(stdout);
  MPI_Finalize();
}
