// The windows of time of a process whose threads call MPI at the same time.
#include "time_windows/time_windows.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <thread>

#include "counters/counters.hpp"
#include "message_waits/message_waits.hpp"
#include "ops.hpp"

using namespace commprof;

namespace {

constexpr std::uint64_t second = std::uint64_t{1} << 31;  // so long that adding up is cheap beside it

// Counts a call as a wrapper does before it passes it on.
void count(Op op, Ticks took) {
  Shards::mine()->add(RecordKey::of(CommIndex{}, ScopeIndex::main, op, SizeBin{}), Volume{}, took);
}

std::uint64_t time_of(TimeWindows& windows, CallKind kind, std::uint32_t window) {
  std::uint64_t time = 0;
  windows.with_table([&](TimeWindowTable const& all) { time = all.at(window)[static_cast<std::size_t>(kind)].time; });
  return time;
}

// The shards outlive a test: what they have is in windows before a test begins, and is not looked at.
struct Run {
  Run() {
    state.resume();
    windows.begin({0}, 256, {.is_monotonic = 1}, message_waits::of_process);
    windows.pass({{0}, {130 * second}}, Op::Barrier, false);
    windows.with_table([&](TimeWindowTable const& all) {
      for (std::uint32_t i = 0; i < 256; ++i) before[i] = all.at(i);
    });
  }
  // A call as wrappers make it: it counts, and is passed then.
  void call(Op op, Ticks took, std::uint64_t end) {
    count(op, took);
    windows.pass({took, {end}}, op, true);
  }
  // Windows of a second have a part of it, and all together the sum.
  void check(CallKind kind, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t sum = 0;
    windows.with_table([&](TimeWindowTable const& all) { REQUIRE(std::uint64_t{1} << all.shift() == second); });
    for (std::uint32_t i = 0; i < 256; ++i) {
      INFO(i);
      auto const time = time_of(windows, kind, i) - before[i][static_cast<std::size_t>(kind)].time;
      sum += time;
      CHECK(time <= second + 1);
      if (i < begin / second || i > end / second) CHECK(time == 0);
      else if (i > begin / second && i + 1 < end / second) CHECK(time + 2 > second);
    }
    CHECK(sum == end - begin);
  }

  TimeWindows windows;
  WindowAmounts before[256];  // with the windows that a run of 130 s and more has
};

}  // namespace

TEST_CASE("a long call that another thread adds up before it is passed lies in the windows that it covers") {
  Run run;
  run.call(Op::Allreduce, {second / 100}, 199 * second);
  count(Op::Recv, {150 * second});  // until now: 200 seconds
  std::thread([&] { run.call(Op::Allreduce, {second / 100}, 200 * second); }).join();
  run.windows.pass({{150 * second}, {200 * second - 1}}, Op::Recv, true);
  run.check(CallKind::point_to_point, 50 * second, 200 * second);
}

TEST_CASE("a call that counts after it is passed lies in the windows that it covers") {
  Run run;
  run.call(Op::Allreduce, {second / 100}, 140 * second);
  std::uint64_t const end = 200 * second - second / 10;
  run.windows.pass({{end - 150 * second}, {end}}, Op::Waitall, false);
  count(Op::Waitall, {end - 150 * second});
  run.call(Op::Allreduce, {second / 100}, 200 * second + second / 10);
  run.check(CallKind::completion, 150 * second, end);
}

TEST_CASE("a long call that is not passed lies before its end") {
  Run run;
  run.call(Op::Allreduce, {second / 100}, 199 * second);
  count(Op::Put, {150 * second});
  run.call(Op::Allreduce, {second / 100}, 200 * second);
  run.check(CallKind::one_sided, 50 * second - second / 100, 200 * second - second / 100);
}
