// A model of a process of a large run: 30 communicators, and on each of them five operations with two sizes, with four
// neighbours. Each process thus has equally many rows in the profile, whatever the number of processes.
//
//   bench_scale [REPETITIONS [REGIONS [STEPS]]]      on 8 processes or a multiple of that
//
// STEPS: how often all others then wait for a message of rank 0, for 2 ms each time: a master and its workers.
#include <commprof/commprof.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int splits = 20, copies = 10;  // of the world: splits into groups of eight, and duplicates
constexpr int group_size = 8;
constexpr int neighbours[] = {-2, -1, 1, 2};
constexpr int sizes[] = {1, 64};  // doubles

// Calls that make two rows each: Irecv, Isend, Waitall, Allreduce, Bcast.
void use(MPI_Comm comm) {
  static double from[64], to[64];
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int items : sizes) {
    std::vector<MPI_Request> requests;
    for (int distance : neighbours) {
      int const other = (rank + distance + ranks) % ranks;
      MPI_Irecv(to, items, MPI_DOUBLE, other, 0, comm, &requests.emplace_back());
      MPI_Isend(from, items, MPI_DOUBLE, other, 0, comm, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    MPI_Allreduce(from, to, items, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Bcast(to, items, MPI_DOUBLE, 0, comm);
  }
}

void wait_for_master(int rank, int ranks) {
  int work = 0;
  if (rank != 0) {
    MPI_Recv(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (int worker = 1; worker < ranks; ++worker) MPI_Send(&work, 1, MPI_INT, worker, 0, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const repetitions = argc > 1 ? std::atoi(argv[1]) : 4;
  int const regions = argc > 2 ? std::atoi(argv[2]) : 1;
  int const steps = argc > 3 ? std::atoi(argv[3]) : 0;

  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks % group_size != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  std::vector<MPI_Comm> comms(splits + copies);
  for (int i = 0; i < splits; ++i) MPI_Comm_split(MPI_COMM_WORLD, rank / group_size, rank, &comms[i]);
  for (int i = splits; i < splits + copies; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int region = 0; region < regions; ++region) {
    std::string const name = "region " + std::to_string(region);
    if (commprof_region_begin != nullptr) commprof_region_begin(name.c_str());
    for (int i = 0; i < repetitions; ++i)
      for (MPI_Comm comm : comms) use(comm);
    if (commprof_region_end != nullptr) commprof_region_end(name.c_str());
  }
  for (int step = 0; step < steps; ++step) wait_for_master(rank, ranks);
  // Afterwards no process waits for another one that still counts.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
