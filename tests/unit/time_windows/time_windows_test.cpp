// The windows of time of a process whose threads call MPI at the same time.
#include "time_windows/time_windows.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <thread>

#include "counters/state.hpp"
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

}  // namespace

TEST_CASE("a long call that another thread adds up before it is passed lies in the windows that it covers") {
  state.resume();
  TimeWindows windows;
  windows.begin({0}, 256, {}, message_waits::of_process);
  auto const call = [&](Op op, Ticks took, std::uint64_t end) {
    count(op, took);
    windows.pass({took, {end}}, op, true);
  };
  call(Op::Allreduce, {second / 100}, 199 * second);
  count(Op::Recv, {150 * second});  // until now: 200 seconds
  std::thread([&] { call(Op::Allreduce, {second / 100}, 200 * second); }).join();
  windows.pass({{150 * second}, {200 * second - 1}}, Op::Recv, true);

  std::uint64_t width = 0, sum = 0;
  windows.with_table([&](TimeWindowTable const& all) { width = std::uint64_t{1} << all.shift(); });
  for (std::uint32_t i = 0; i < 256; ++i) {
    auto const time = time_of(windows, CallKind::point_to_point, i);
    sum += time;
    CHECK(time <= width + 1);
    if (i * width < 49 * second) CHECK(time == 0);
  }
  CHECK(sum == 150 * second);
}
