// Snapshots by several threads contain each thread's counts and the pending requests in its table. In the final
// profile, no count is lost, and none is counted twice. Other threads may go on meanwhile.
#include <commprof/commprof.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <thread>
#include <vector>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int thread_count = 3, size = 10;
constexpr std::uint64_t message = size * sizeof(int);

// Issues a receive and a send, waits for the snapshot, completes them.
void communicate(NamedComm const& world, int tag, std::barrier<>& snapshot) {
  int out[size]{}, in[size]{};
  MPI_Request requests[2];
  MPI_Irecv(in, size, MPI_INT, world.left(), tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, size, MPI_INT, world.right(), tag, MPI_COMM_WORLD, &requests[1]);
  snapshot.arrive_and_wait();
  snapshot.arrive_and_wait();
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv, MPI_THREAD_MULTIPLE);
  std::string const output = std::getenv("COMMPROF_OUTPUT");
  NamedComm const world(MPI_COMM_WORLD, "W");
  std::barrier snapshot(thread_count + 1);
  std::vector<std::thread> threads;
  for (int tag = 0; tag < thread_count; ++tag) threads.emplace_back([&, tag] { communicate(world, tag, snapshot); });
  snapshot.arrive_and_wait();
  test.expect("W", "Irecv", {thread_count, 0, 0});
  test.expect("W", "Isend", {thread_count, thread_count * message, 0});
  test.expect_dropped("requests_unfinished", 2 * thread_count * static_cast<std::uint64_t>(test.ranks));
  for (int number : {1, 2}) {
    test.require(commprof_flush(nullptr) == MPI_SUCCESS, "a flush fails");
    test.check_snapshot(output + "-snapshot-" + std::to_string(number));
  }
  snapshot.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
  test.expect("W", "Irecv", {0, 0, thread_count * message});
  test.expect("W", "Waitall", {thread_count, 0, 0});
  test.expect_dropped("requests_unfinished", 0);

  // A thread that never stops calls MPI meanwhile: each of its calls is in the final profile once.
  std::atomic<bool> stop{false};
  std::uint64_t calls = 0;
  std::thread busy([&] {
    for (; !stop; ++calls) {
      commprof_region_begin("busy");
      MPI_Request request;
      int in = 0, out = 0;
      MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
      MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      commprof_region_end("busy");
    }
  });
  for (int i = 0; i < 20; ++i)
    test.require(commprof_flush((output + "-beside").c_str()) == MPI_SUCCESS, "a flush fails");
  stop = true;
  busy.join();
  test.in_region("busy");
  test.expect("SELF", "Irecv", {calls, 0, 4 * calls});
  test.expect("SELF", "Send", {calls, 4 * calls, 0});
  test.expect("SELF", "Wait", {calls, 0, 0});
  test.expect_entered("busy", calls);
  return test.finish();
}
