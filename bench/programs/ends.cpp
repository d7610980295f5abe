// How long MPI_Init and MPI_Finalize take: prints milliseconds of rank 0, and what of it passes within a preloaded
// library.
//
//   bench_ends KEPT FREED      communicators that are made, used, and kept to the end, or freed before the next is made
#include <dlfcn.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double in_mpi = 0;   // milliseconds in PMPI_Init, which a preloaded library calls
double written = 0;  // when that has written its profile

template <class... Arguments>
int timed(char const* name, Arguments... arguments) {
  auto const next = reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_NEXT, name));
  double const start = now_ms();
  int const result = next(arguments...);
  in_mpi += now_ms() - start;
  return result;
}

MPI_Comm made_and_used() {
  static double const data[1000] = {};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  // Makes three rows of the profile, by calls that take little time even with more processes than cores.
  for (int items : {1, 10, 1000}) MPI_Send(data, items, MPI_DOUBLE, MPI_PROC_NULL, 0, comm);
  return comm;
}

}  // namespace

// MPI_Finalize deletes the attribute that is set here after that of the profiler, which writes the profile when that is
// deleted.
extern "C" int PMPI_Init(int* argc, char*** argv) {
  int const result = timed("PMPI_Init", argc, argv);
  int keyval;
  auto const at_end = [](MPI_Comm, int, void*, void*) { return written = now_ms(), MPI_SUCCESS; };
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  return result;
}

int main(int argc, char** argv) {
  double const start = now_ms();
  MPI_Init(&argc, &argv);
  double const initialized = now_ms();
  int const kept = argc > 1 ? std::atoi(argv[1]) : 50;
  int const freed = argc > 2 ? std::atoi(argv[2]) : 0;

  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < kept; ++i) made_and_used();
  for (int i = 0; i < freed; ++i) {
    MPI_Comm comm = made_and_used();
    MPI_Comm_free(&comm);
  }

  MPI_Barrier(MPI_COMM_WORLD);
  double const end = now_ms();
  MPI_Finalize();
  double const finalized = now_ms();
  if (rank == 0) {
    double const of_init = initialized - start, of_finalize = finalized - end;
    std::printf("init %.4f\nfinalize %.4f\nboth %.4f\n", of_init, of_finalize, of_init + of_finalize);
    std::printf("within %.4f\n", in_mpi == 0 ? 0 : of_init - in_mpi + written - end);
  }
}
