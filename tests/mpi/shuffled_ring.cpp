// A ring whose neighbours are not adjacent in rank: each process sends to the one three ranks further on; a higher rank
// sends more. Needs a number of ranks that is not a multiple of three.
#include <mpi.h>

#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> sent(static_cast<std::size_t>(1000 + 10 * rank)),
      received(static_cast<std::size_t>(1000 + 10 * ranks));
  for (int round = 0; round < 20; ++round) {
    MPI_Sendrecv(sent.data(), static_cast<int>(sent.size()), MPI_CHAR, (rank + 3) % ranks, 0, received.data(),
                 static_cast<int>(received.size()), MPI_CHAR, (rank + ranks - 3) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
