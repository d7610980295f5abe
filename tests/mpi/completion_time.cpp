// The time of a completion call is divided among the communicators that it covers by their number of requests: the
// parts add up to the time that passed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;
using profile_test::Row;

namespace {

constexpr int tag = 2;

double time_on(ProfileTest const& test, std::string const& comm, std::string const& op) {
  double time = 0;
  for (Row const& row : test.operations())
    if (row.at("comm") == comm && row.at("op") == op && row.at("rank") == std::to_string(test.rank))
      time += std::stod(row.at("time_s"));
  return time;
}

constexpr double sleep_s = 0.05;

// Pairs of processes: the even one waits for messages that the odd one sends a while later: `times` times 1, 2 and 3 on
// three communicators. Returns how long the wait took by the program's own clock; 0 on a process that does not wait.
double wait_for_late_messages(ProfileTest& test, std::vector<NamedComm> const& comms, int times) {
  int const partner = test.rank ^ 1;
  MPI_Barrier(MPI_COMM_WORLD);
  test.expect("W", "Barrier", {1, 0, 0});
  if (partner >= test.ranks) return 0;
  bool const waits = test.rank % 2 == 0;
  if (!waits) std::this_thread::sleep_for(std::chrono::duration<double>(sleep_s));

  std::vector<int> data(static_cast<std::size_t>(6 * times));
  std::vector<MPI_Request> requests;
  // Alternates between communicators, so that no communicator's requests are adjacent.
  for (int round = 0; round < 3; ++round) {
    for (int comm = round; comm < 3; ++comm) {
      NamedComm const& where = comms[static_cast<std::size_t>(comm)];
      for (int i = 0; i < times; ++i) {
        if (waits) {
          int* const place = &data[requests.size()];
          MPI_Irecv(place, 1, MPI_INT, partner, tag, where.handle, &requests.emplace_back());
          test.expect(where.name, "Irecv", {1, 0, bytes(1, MPI_INT)});
        } else {
          MPI_Send(data.data(), 1, MPI_INT, partner, tag, where.handle);
          test.expect(where.name, "Send", {1, bytes(1, MPI_INT), 0});
        }
      }
    }
  }
  if (!waits) return 0;
  double const start = MPI_Wtime();
  MPI_Waitall(6 * times, requests.data(), MPI_STATUSES_IGNORE);
  double const passed = MPI_Wtime() - start;
  for (NamedComm const& comm : comms) test.expect(comm.name, "Waitall", {1, 0, 0});
  return passed;
}

void check_division(ProfileTest& test, std::vector<NamedComm> const& comms, double passed) {
  if (passed == 0) return;
  double const one = time_on(test, comms[0].name, "Waitall");
  double const two = time_on(test, comms[1].name, "Waitall");
  double const three = time_on(test, comms[2].name, "Waitall");
  constexpr double rounding = 5e-9;  // rows have nanoseconds
  test.require(std::abs(two - 2 * one) < rounding && std::abs(three - 3 * one) < rounding,
               "the times are " + std::to_string(one) + ", " + std::to_string(two) + ", " + std::to_string(three) +
                   ", not as 1 to 2 to 3");
  // The program reads its clock outside the call, where the process may lose its processor for longer than it waits.
  double const sum = one + two + three;
  test.require(sum < 1.001 * passed + 1e-6 && sum > std::min(passed, sleep_s) / 2,
               "the times sum up to " + std::to_string(sum) + ", but " + std::to_string(passed) + " passed");
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  std::vector<NamedComm> few, many;
  for (int i = 1; i <= 6; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    test.expect("W", "Comm_dup", {1, 0, 0});
    (i <= 3 ? few : many).emplace_back(dup, "W_d" + std::to_string(i));
  }
  double const passed_with_few = wait_for_late_messages(test, few, 1);
  double const passed_with_many = wait_for_late_messages(test, many, 20);  // 20, 40 and 60 requests
  test.finish();
  check_division(test, few, passed_with_few);
  check_division(test, many, passed_with_many);
  return test.exit_code();
}
