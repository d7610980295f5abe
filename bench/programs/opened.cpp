// A library with many symbols that calls MPI: bench_opens opens copies of it.
#include <mpi.h>

#include <utility>

template <int n>
int defined() {
  static int volatile value = n;
  return value;
}

template <int... n>
int call_all(std::integer_sequence<int, n...>) {
  int (*const functions[])() = {defined<n>...};
  int sum = 0;
  for (int (*const function)() : functions) sum += function();
  return sum;
}

extern "C" int calls_mpi() { return MPI_Barrier(MPI_COMM_WORLD) + call_all(std::make_integer_sequence<int, 1000>{}); }
