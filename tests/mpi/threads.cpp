// MPI_THREAD_MULTIPLE: threads that call MPI at once, each on a communicator of its own and all on a shared one; no
// call is lost or counted twice.
#include <string>
#include <thread>
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

constexpr int threads = 4;
constexpr int rounds = 10;  // between processes, which take turns on few cores
constexpr int local_rounds = 2000;
constexpr int generations = 2;  // threads of the second generation take over the shards of the first

int size_in_round(int round) { return round % 7 * 10; }

// Each thread knows its number, which is the tag of its messages on the shared communicator.
void exchange(Ring const& own, Ring const& shared, int number) {
  std::vector<int> out(100), in(100);
  for (int round = 0; round < rounds; ++round) {
    int const size = size_in_round(round);
    MPI_Request requests[3];
    MPI_Irecv(in.data(), 100, MPI_INT, own.left(), 0, own.handle, &requests[0]);
    MPI_Isend(out.data(), size, MPI_INT, own.right(), 0, own.handle, &requests[1]);
    // Requests of several threads with one handle.
    MPI_Isend(out.data(), 1, MPI_INT, MPI_PROC_NULL, number, shared.handle, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);

    MPI_Sendrecv(out.data(), size, MPI_INT, shared.right(), number, in.data(), 100, MPI_INT, shared.left(), number,
                 shared.handle, MPI_STATUS_IGNORE);
    int value = 0, sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, own.handle);
  }
}

// Sends many messages of a process to itself, in all threads at once.
void talk_to_itself(Ring const& comm, int number) {
  std::vector<int> out(100), in(100);
  for (int round = 0; round < local_rounds; ++round) {
    int const size = size_in_round(round);
    MPI_Request receive, send;
    MPI_Irecv(in.data(), 100, MPI_INT, comm.rank, number, comm.handle, &receive);
    MPI_Isend(out.data(), size, MPI_INT, comm.rank, number, comm.handle, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Send(out.data(), 1, MPI_INT, MPI_PROC_NULL, number, comm.handle);
  }
}

void work(Ring const& own, Ring const& shared, int number) {
  talk_to_itself(own, number);
  talk_to_itself(shared, number);
  exchange(own, shared, number);
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  std::vector<Ring> comms;
  for (int i = 0; i <= threads; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    comms.emplace_back(dup);
  }
  for (int generation = 0; generation < generations; ++generation) {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back(work, comms[static_cast<std::size_t>(i)], comms.back(), i);
    for (std::thread& thread : running) thread.join();
  }
  // A thread whose calls do not count is not one that "called MPI".
  std::thread([] {
    int flag = 0;
    MPI_Initialized(&flag);
  }).join();
  return workload::finish();
}
