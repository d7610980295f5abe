// MPI_THREAD_MULTIPLE: threads that call MPI at once, each on a communicator of its own and all on a shared one; no
// call is lost or counted twice.
#include <string>
#include <thread>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int threads = 4;
constexpr int rounds = 10;  // between processes, which take turns on few cores
constexpr int local_rounds = 2000;
constexpr int generations = 2;  // threads of the second generation take over the shards of the first

int size_in_round(int round) { return round % 7 * 10; }

// Each thread knows its number, which is the tag of its messages on the shared communicator.
void exchange(NamedComm const& own, NamedComm const& shared, int number) {
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

void expect_exchange(ProfileTest& test, NamedComm const& own, NamedComm const& shared) {
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t const m = bytes(size_in_round(round), MPI_INT);
    test.expect(own.name, "Irecv", {1, 0, m});
    test.expect(own.name, "Isend", {1, m, 0});
    test.expect(own.name, "Waitall", {1, 0, 0});
    test.expect(own.name, "Allreduce", {1, sizeof(int), 0});
    test.expect(shared.name, "Isend", {1, 0, 0});
    test.expect(shared.name, "Waitall", {1, 0, 0});
    test.expect(shared.name, "Sendrecv", {1, m, m});
  }
}

// Sends many messages of a process to itself, in all threads at once.
void talk_to_itself(NamedComm const& comm, int number) {
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

void expect_talk(ProfileTest& test, NamedComm const& comm) {
  for (int round = 0; round < local_rounds; ++round) {
    std::uint64_t const m = bytes(size_in_round(round), MPI_INT);
    test.expect(comm.name, "Irecv", {1, 0, m});
    test.expect(comm.name, "Isend", {1, m, 0});
    test.expect(comm.name, "Wait", {2, 0, 0});
    test.expect(comm.name, "Send", {1, 0, 0});
  }
}

void work(NamedComm const& own, NamedComm const& shared, int number) {
  talk_to_itself(own, number);
  talk_to_itself(shared, number);
  exchange(own, shared, number);
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv, MPI_THREAD_MULTIPLE);
  std::vector<NamedComm> comms;
  for (int i = 0; i <= threads; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    test.expect("W", "Comm_dup", {1, 0, 0});
    comms.emplace_back(dup, "W_d" + std::to_string(i + 1));
  }
  NamedComm const& shared = comms.back();
  for (int generation = 0; generation < generations; ++generation) {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back(work, comms[static_cast<std::size_t>(i)], shared, i);
    for (std::thread& thread : running) thread.join();
    for (int i = 0; i < threads; ++i) {
      NamedComm const& own = comms[static_cast<std::size_t>(i)];
      expect_talk(test, own);
      expect_talk(test, shared);
      expect_exchange(test, own, shared);
    }
  }
  // A thread whose calls do not count is not one that "called MPI".
  std::thread([] {
    int flag = 0;
    MPI_Initialized(&flag);
  }).join();
  test.finish();
  for (auto const& row : test.rank_rows())
    test.require(row.at("threads") == std::to_string(1 + generations * threads),
                 "a rank has " + row.at("threads") + " threads");
  return test.exit_code();
}
