// Readings and resets while other threads count: no call is lost, no reading decreases, and at the end all calls are
// there.
#include <mpi.h>
// After mpi.h, which it does not include in C++.
#include <commprof/commprof.h>

#include <atomic>
#include <thread>
#include <vector>

#include "profile_test.hpp"

using profile_test::ProfileTest;

namespace {

constexpr int thread_count = 3, rounds = 3000;
constexpr unsigned long long message = 100;

void talk_to_itself(int tag) {
  std::vector<char> out(message), in(message);
  for (int round = 0; round < rounds; ++round)
    MPI_Sendrecv(out.data(), message, MPI_CHAR, 0, tag, in.data(), message, MPI_CHAR, 0, tag, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

void run(std::atomic<int>& running) {
  std::vector<std::thread> threads;
  running = thread_count;
  for (int tag = 0; tag < thread_count; ++tag)
    threads.emplace_back([&running, tag] {
      talk_to_itself(tag);
      --running;
    });
  for (std::thread& thread : threads) thread.join();
}

// The last reading equals the calls of all threads, whatever was read meanwhile.
void read_until_they_end(ProfileTest& test) {
  std::atomic<int> running{0};
  std::atomic<bool> begun{false};
  std::thread reader([&] {
    commprof_numbers before{}, now{};
    unsigned long long messages_before = 0, messages = 0, bytes = 0;
    do {
      test.require(commprof_read(MPI_COMM_SELF, "Sendrecv", &now, sizeof now) == MPI_SUCCESS, "a reading fails");
      test.require(commprof_read_peers(MPI_COMM_SELF, &messages, &bytes, 1) == MPI_SUCCESS, "a reading of peers fails");
      test.require(now.calls >= before.calls && now.bytes_sent >= before.bytes_sent && messages >= messages_before,
                   "a reading goes back");
      before = now;
      messages_before = messages;
      begun = true;
    } while (running > 0);
  });
  running = 1;
  while (!begun) std::this_thread::yield();
  run(running);
  reader.join();
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv, MPI_THREAD_MULTIPLE);
  constexpr unsigned long long calls = thread_count * rounds;
  read_until_they_end(test);
  commprof_numbers sum{};
  commprof_read(MPI_COMM_SELF, "Sendrecv", &sum, sizeof sum);
  test.require(sum.calls == calls && sum.bytes_sent == calls * message && sum.bytes_received == calls * message,
               "the sum of all threads");
  unsigned long long messages = 0, bytes = 0;
  commprof_read_peers(MPI_COMM_SELF, &messages, &bytes, 1);
  test.require(messages == calls && bytes == calls * message, "the messages of all threads");

  // Resets at the same time; the last reset follows all calls.
  std::atomic<int> running{1};
  std::thread resetter([&] {
    do {
      test.require(commprof_reset() == MPI_SUCCESS, "a reset fails");
      commprof_read(MPI_COMM_SELF, nullptr, &sum, sizeof sum);
      test.require(sum.calls <= calls, "more than was called since a reset");
    } while (running > 0);
  });
  run(running);
  resetter.join();
  commprof_reset();
  commprof_read(MPI_COMM_SELF, nullptr, &sum, sizeof sum);
  test.require(sum.calls == 0 && sum.bytes_sent == 0 && sum.time_s == 0.0, "nothing since the last reset");
  run(running);
  commprof_read(MPI_COMM_SELF, nullptr, &sum, sizeof sum);
  test.require(sum.calls == calls, "what threads count that take over from others");

  test.expect("SELF", "Sendrecv", {3 * calls, 3 * calls * message, 3 * calls * message});
  return test.finish();
}
