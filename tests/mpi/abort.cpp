// abort world|self|dup CODE: process 0 ends the job while the others wait.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  std::string_view const name = argv[1];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(dup);
  if (rank == 0) {
    std::puts("before");
    std::fflush(stdout);
    MPI_Abort(name == "world" ? MPI_COMM_WORLD : name == "self" ? MPI_COMM_SELF : dup, std::atoi(argv[2]));
    for (;;) pause();  // MPICH 4.2.1 returns, and its launcher ends the process later
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
