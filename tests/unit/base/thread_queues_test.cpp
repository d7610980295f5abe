#include <sched.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "base/process.hpp"

using namespace commprof;

namespace {

constexpr std::uint64_t ns_of_ms = 1'000'000;

// Two threads on one processor, until one has queued so long.
void compete(bool keeps_own, std::uint64_t until_ns) {
  cpu_set_t allowed, one;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &one);
  std::atomic<bool> has_ended{false};
  auto const work = [&](std::uint32_t number) {
    thread_queues::start_own(number);
    sched_setaffinity(0, sizeof one, &one);
    while (!has_ended) {
    }
    if (keeps_own) thread_queues::keep_own(number);
  };
  std::thread first(work, 1), second(work, 2);
  while (thread_queues::longest_ns() < until_ns) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  has_ended = true;
  first.join();
  second.join();
}

}  // namespace

TEST_CASE("the thread that queues longest is found, whichever it is") {
  thread_queues::begin();
  if (!thread_queues::longest_ns()) return;  // the kernel does not count it
  compete(false, 50 * ns_of_ms);
  std::uint64_t const of_this_thread = thread_queues::longest_ns().value();
  compete(true, of_this_thread + 50 * ns_of_ms);
  CHECK(thread_queues::longest_ns() >= of_this_thread + 50 * ns_of_ms);
  std::uint64_t const of_one = thread_queues::longest_ns().value();
  compete(true, of_one + 50 * ns_of_ms);  // threads that follow those
  CHECK(thread_queues::longest_ns() >= of_one + 50 * ns_of_ms);
  thread_queues::begin();
  CHECK(thread_queues::longest_ns() < of_one);
}
