// Conjugate gradients on a tridiagonal matrix: a step has two sums of one number over all processes, and an exchange of
// one number with each neighbour.
//
//   bench_cg_like [STEPS [ROWS]]             rows of the matrix on one process
//
// Prints the seconds of the loop. The default is a matrix so small that communicating takes most of the time.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

double dot(std::vector<double> const& a, std::vector<double> const& b, int rows) {
  double const here = std::inner_product(a.begin() + 1, a.begin() + 1 + rows, b.begin() + 1, 0.0);
  double everywhere = 0;
  MPI_Allreduce(&here, &everywhere, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return everywhere;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const steps = argc > 1 ? std::atoi(argv[1]) : 200000;
  int const rows = argc > 2 ? std::atoi(argv[2]) : 128;

  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int const right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

  // The first and the last element belong to the neighbours.
  std::vector<double> x(static_cast<std::size_t>(rows) + 2), residual(x.size(), 1.0), direction = residual, product = x;
  double* const p = direction.data();

  MPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  double rho = dot(residual, residual, rows);
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(p + rows, 1, MPI_DOUBLE, right, 0, p, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(p + 1, 1, MPI_DOUBLE, left, 0, p + rows + 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (std::size_t i = 1; i + 1 < x.size(); ++i) product[i] = 4 * p[i] - p[i - 1] - p[i + 1];
    double const alpha = rho / dot(direction, product, rows);
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      x[i] += alpha * p[i];
      residual[i] -= alpha * product[i];
    }
    double const next = dot(residual, residual, rows);
    for (std::size_t i = 1; i + 1 < x.size(); ++i) p[i] = residual[i] + next / rho * p[i];
    rho = next;
    // Solved: once more from the start, before the numbers become too small to be computed quickly.
    if (rho < 1e-20) {
      residual.assign(x.size(), 1.0);
      direction = residual;
      rho = dot(residual, residual, rows);
    }
  }
  double const seconds = MPI_Wtime() - start;
  if (rank == 0) std::printf("seconds %.9f\nsomething %g\n", seconds, x[1]);
  MPI_Finalize();
}
