#include <sched.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "base/process.hpp"

using namespace commprof;

namespace {

constexpr std::uint64_t ns_of_ms = 1'000'000;

// Two threads on one processor, until one has queued so long. Returns how long.
std::uint64_t compete(std::uint64_t until_ns) {
  cpu_set_t allowed, one;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &one);
  std::atomic<bool> has_ended{false};
  auto const work = [&] {
    sched_setaffinity(0, sizeof one, &one);
    while (!has_ended) {
    }
  };
  std::thread first(work), second(work);
  std::optional<std::uint64_t> longest_ns = 0;
  for (; longest_ns < until_ns; longest_ns = thread_queues::longest_ns())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  has_ended = true;
  first.join();
  second.join();
  return *longest_ns;
}

}  // namespace

TEST_CASE("the thread that queues longest is found, whichever it is") {
  thread_queues::begin();
  if (!thread_queues::longest_ns()) return;  // the kernel does not count it
  std::uint64_t const wanted_ns = thread_queues::longest_ns().value() + 50 * ns_of_ms;
  std::uint64_t const reached_ns = compete(wanted_ns);
  CHECK(reached_ns >= wanted_ns);
  thread_queues::begin();
  CHECK(thread_queues::longest_ns() < reached_ns);
}
