// Receives that wait for a second each. Rank 0 prints what MPI_Wtime says about them, for comparison with the profile.
//
//   bench_waits [NUMBER]       on 2 processes
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const number = argc > 1 ? std::atoi(argv[1]) : 10;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double waited = 0;
  for (int i = 0; i < number; ++i) {
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0) {
      double const start = MPI_Wtime();
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      waited += MPI_Wtime() - start;
    }
  }
  if (rank == 0) std::printf("waited %.9f\n", waited);
  MPI_Finalize();
}
