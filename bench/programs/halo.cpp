// A strip of a grid on each process, smoothed again and again: four nonblocking messages of one row and a Waitall a
// step.
//
//   bench_halo [STEPS [ROWS [COLUMNS]]]      rows and columns of one process
//
// Prints the seconds of the loop. The defaults are a problem spread so thin that communicating takes most of the time.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  auto const option = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  int const steps = option(1, 200000);
  int const rows = option(2, 4);
  int const columns = option(3, 128);

  int ranks, periodic = 1, rank, above, below;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &line);
  MPI_Comm_rank(line, &rank);
  MPI_Cart_shift(line, 0, 1, &above, &below);

  // A row above and one below belong to the neighbours.
  std::vector<double> now(static_cast<std::size_t>((rows + 2) * columns), rank), next = now;
  auto const row = [columns](std::vector<double>& grid, int i) { return grid.data() + i * columns; };

  MPI_Barrier(line);
  double const start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(row(now, 0), columns, MPI_DOUBLE, above, 0, line, &requests[0]);
    MPI_Irecv(row(now, rows + 1), columns, MPI_DOUBLE, below, 1, line, &requests[1]);
    MPI_Isend(row(now, rows), columns, MPI_DOUBLE, below, 0, line, &requests[2]);
    MPI_Isend(row(now, 1), columns, MPI_DOUBLE, above, 1, line, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= rows; ++i) {
      double const *up = row(now, i - 1), *here = row(now, i), *down = row(now, i + 1);
      double* result = row(next, i);
      for (int j = 1; j < columns - 1; ++j) result[j] = 0.2 * (here[j] + here[j - 1] + here[j + 1] + up[j] + down[j]);
    }
    std::swap(now, next);
  }
  MPI_Barrier(line);
  double const seconds = MPI_Wtime() - start;
  if (rank == 0) std::printf("seconds %.9f\nsomething %g\n", seconds, *std::max_element(now.begin(), now.end()));
  MPI_Finalize();
}
