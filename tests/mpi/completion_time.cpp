// The time of a completion call is divided among the communicators that it covers by their number of requests: the
// parts add up to the time that passed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "workload.hpp"

namespace {

constexpr double sleep_s = 0.05;

double time_on(MPI_Comm comm) {
  commprof_numbers numbers{};
  commprof_read(comm, "Waitall", &numbers, sizeof numbers);
  return numbers.time_s;
}

// Pairs of processes: the even one waits for messages that the odd one sends a while later: `times` times 1, 2 and 3 on
// three communicators. Returns how long the wait took by the program's own clock; 0 on a process that does not wait.
double wait_for_late_messages(MPI_Comm const comms[], int times) {
  workload::Ring const world(MPI_COMM_WORLD);
  int const partner = world.rank ^ 1;
  bool const waits = world.rank % 2 == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (partner >= world.size) return 0;
  if (!waits) std::this_thread::sleep_for(std::chrono::duration<double>(sleep_s));
  std::vector<int> data(static_cast<std::size_t>(6 * times));
  std::vector<MPI_Request> requests;
  // Alternates between communicators, so that no communicator's requests are adjacent.
  for (int round = 0; round < 3; ++round) {
    for (int comm = round; comm < 3; ++comm) {
      for (int i = 0; i < times; ++i) {
        int* const place = &data[requests.size()];
        if (waits) MPI_Irecv(place, 1, MPI_INT, partner, 2, comms[comm], &requests.emplace_back());
        else MPI_Send(data.data(), 1, MPI_INT, partner, 2, comms[comm]);
      }
    }
  }
  if (!waits) return 0;
  double const start = MPI_Wtime();
  MPI_Waitall(6 * times, requests.data(), MPI_STATUSES_IGNORE);
  return MPI_Wtime() - start;
}

void check_division(MPI_Comm const comms[], double passed) {
  if (passed == 0) return;
  double const one = time_on(comms[0]), two = time_on(comms[1]), three = time_on(comms[2]), sum = one + two + three;
  constexpr double rounding = 5e-9;
  workload::require(std::abs(two - 2 * one) < rounding && std::abs(three - 3 * one) < rounding,
                    "the times are not as 1 to 2 to 3");
  // The program reads its clock outside the call, where the process may lose its processor for longer than it waits.
  workload::require(sum < 1.001 * passed + 1e-6 && sum > std::min(passed, sleep_s) / 2,
                    "the times do not sum up to what passed");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comms[6];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  check_division(comms, wait_for_late_messages(comms, 1));
  check_division(comms + 3, wait_for_late_messages(comms + 3, 20));  // 20, 40 and 60 requests
  return workload::finish();
}
