// What messages cost that the MPI gives to its transport: prints nanoseconds of rank 0, the median of 21 rounds.
//
//   bench_transport CALLS
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Call>
double median_ns(int calls, Call&& call) {
  constexpr std::size_t rounds = 21;
  std::vector<double> times;
  while (times.size() < rounds) {
    MPI_Barrier(MPI_COMM_WORLD);
    double const start = now_ns();
    for (int i = 0; i < calls; ++i) call();
    times.push_back((now_ns() - start) / calls);
  }
  std::sort(times.begin(), times.end());
  return times[rounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const calls = argc > 1 ? std::atoi(argv[1]) : 10'000;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  double const data[4]{};
  double result[4]{};
  double const message = median_ns(calls, [&] {
    MPI_Sendrecv(data, 1, MPI_DOUBLE, next, 0, result, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  double const allreduce =
      median_ns(calls, [&] { MPI_Allreduce(data, result, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  if (rank == 0) std::printf("message %.1f\nallreduce %.1f\n", message, allreduce);
  MPI_Finalize();
}
