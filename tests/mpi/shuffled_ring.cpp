// A ring whose neighbours are not neighbours in rank: each sends to the one three steps further on, and more the higher
// its rank is. Needs a number of ranks that three does not divide.
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
