// The table of windows of time: amounts are never lost, wherever they are put and however often windows are joined.
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "time_windows/time_windows.hpp"

using namespace commprof;

namespace {

constexpr std::uint64_t width = 1 << 16;  // of the first windows

struct Windows {
  explicit Windows(std::uint32_t windows, Position begin = 0, WindowClock const& clock = {})
      : memory(TimeWindowTable::bytes_for(windows) / sizeof(std::uint64_t) + 1),
        table(*TimeWindowTable::make(memory.data(), windows, clock, begin)) {}

  std::vector<std::uint64_t> memory;
  TimeWindowTable& table;

  [[nodiscard]] WindowAmount at(std::uint32_t i, CallKind kind = CallKind::collective) const {
    return table.at(i)[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] WindowAmount sum(CallKind kind = CallKind::collective) const {
    return table.sum()[static_cast<std::size_t>(kind)];
  }
};

}  // namespace

TEST_CASE("an amount is spread over the windows that it covers") {
  Windows all(16);
  all.table.add(CallKind::collective, width / 2, 3 * width, {10, 100, 5 * width / 2});
  CHECK(all.at(0).time == width / 2);
  CHECK(all.at(1).time == width);
  CHECK(all.at(2).time == width);
  CHECK(all.at(3).time == 0);
  CHECK(all.at(0).calls == 2);
  CHECK(all.at(1).bytes == 40);
  CHECK(all.sum().calls == 10);
  CHECK(all.sum().bytes == 100);
}

TEST_CASE("windows are joined with their neighbours when there is no room") {
  Windows all(16, 3 * width);
  all.table.add(CallKind::collective, 3 * width, 3 * width, {1, 0, 0});
  all.table.add(CallKind::collective, 4 * width, 4 * width, {10, 0, 0});
  all.table.add(CallKind::collective, 5 * width, 5 * width, {100, 0, 0});
  all.table.reach(19 * width);
  CHECK(all.table.shift() == 17);
  CHECK(all.table.first() == 1);
  CHECK(all.at(0).calls == 1);
  CHECK(all.at(1).calls == 110);
  all.table.reach(Position{1} << 40);
  CHECK(all.table.number(Position{1} << 40) < all.table.first() + 16);
  CHECK(all.sum().calls == 111);
}

TEST_CASE("nothing is lost between random amounts and joins") {
  std::mt19937_64 random(7);
  for (std::uint32_t const windows : {16U, 256U}) {
    Windows all(windows, width * 5);
    WindowAmount wanted;
    Position now = width * 5;
    for (int i = 0; i < 2000; ++i) {
      Position const from = now;
      now += random() % (width << i / 150);
      all.table.reach(now);
      WindowAmount const one{random() % 5, random() % 100000, now - from};
      all.table.add(CallKind::collective, from, now, one);
      wanted += one;
    }
    CHECK(all.sum().calls == wanted.calls);
    CHECK(all.sum().bytes == wanted.bytes);
    CHECK(all.sum().time == wanted.time);
    for (std::uint32_t i = 0; i < windows; ++i) CHECK(all.at(i).time <= std::uint64_t{1} << all.table.shift());
  }
}

TEST_CASE("a table that cannot be one is recognised") {
  Windows all(16);
  CHECK(all.table.is_sound(TimeWindowTable::bytes_for(16)));
  CHECK_FALSE(all.table.is_sound(TimeWindowTable::bytes_for(16) - 1));
  CHECK_FALSE(all.table.is_sound(8));
}

TEST_CASE("what records have counted since goes to the end") {
  Windows all(16);
  all.table.add(CallKind::collective, 0, 0, {1, 10, 5});
  WindowAmounts records{};
  records[static_cast<std::size_t>(CallKind::collective)] = {3, 30, 25};
  all.table.set_swept(4 * width + 10);
  all.table.set_due(5 * width);
  OwnTimeWindows own;
  own.take(all.table, records, {0}, {9 * width}, {}, {});
  auto const amount = [&](std::uint32_t i) {
    return own.table().at(i)[static_cast<std::size_t>(CallKind::collective)];
  };
  CHECK(amount(0).calls == 1);
  CHECK(amount(4).calls == 2);
  CHECK(amount(4).time == 20);
  CHECK(own.span().end == 9 * width);
}

TEST_CASE("a long call that issued a request is in as many windows as it lasted") {
  Windows all(16);
  all.table.set_swept(4 * width);
  all.table.set_due(5 * width);
  all.table.add_rest(CallKind::collective, 9 * width, {1, 0, 3 * width}, {});
  CHECK(all.at(4).time == width);
  CHECK(all.at(6).time == width);
  CHECK(all.at(7).time == 0);
  // Never beyond the moment by which it has ended.
  all.table.add_rest(CallKind::files, 6 * width - 1, {1, 0, 3 * width}, {});
  CHECK(all.at(5, CallKind::files).time > width);
  CHECK(all.at(6, CallKind::files).time == 0);
}

TEST_CASE("processes with windows of different widths are added up") {
  Windows narrow(16), wide(16, 2 * width);
  WindowAmounts records{};
  records[0] = {1, 8, 3};
  narrow.table.set_due(width);
  wide.table.reach(40 * width);
  wide.table.set_swept(39 * width);
  wide.table.set_due(40 * width);
  OwnTimeWindows one, other;
  one.take(narrow.table, records, {0}, {15 * width}, {}, {});
  other.take(wide.table, records, {width}, {20 * width}, {}, {1, 2});
  WindowSpan span = one.span();
  span.merge(other.span());
  span.widen();
  CHECK(span.is_of_one_clock());
  CHECK(span.shift == 18);
  CHECK(span.size() == 11);
  SummedWindows sums;
  REQUIRE(sums.begin(span));
  sums.add(one);
  sums.add(other);
  CHECK(sums.all().begin()[0][0].calls == 1);
  CHECK(sums.all().begin()[9][0].time == 6);  // a tick of the other process has two nanoseconds
}

TEST_CASE("windows of clocks that cannot be compared do not stand in one file") {
  Windows common(16), own(16, 0, {.is_common = 0});
  OwnTimeWindows one, other;
  one.take(common.table, {}, {0}, {width}, {}, {});
  other.take(own.table, {}, {0}, {width}, {}, {});
  WindowSpan span = one.span();
  span.merge(other.span());
  CHECK_FALSE(span.is_of_one_clock());
}

TEST_CASE("neighbouring ranks are added up so that there are not too many groups") {
  CHECK(ranks_of_windows(1024, false) == 1);
  CHECK(ranks_of_windows(1025, false) == 2);
  CHECK(ranks_of_windows(100'000, false) == 128);
  CHECK(ranks_of_windows(65, true) == 2);
}

TEST_CASE("a run of ten milliseconds and one of ten minutes have 128 to 256 windows") {
  for (std::uint64_t const ticks_a_ns : {1U, 2U, 4U}) {
    for (std::uint64_t const begin_ns : {std::uint64_t{0}, std::uint64_t{1'234'567'890'123}}) {
      for (std::uint64_t const ms : {10U, 37U, 1'000U, 60'000U, 600'000U}) {
        Position const begin = begin_ns * ticks_a_ns, end = begin + ms * 1'000'000 * ticks_a_ns;
        Windows all(256, begin);
        constexpr std::uint64_t calls = 1000;
        for (std::uint64_t i = 0; i < calls; ++i) {
          Position const at = begin + (end - begin) / calls * i;
          all.table.reach(at);
          all.table.add(CallKind::collective, at, at, {1, 0, 0});
          all.table.set_swept(at);
        }
        OwnTimeWindows own;
        own.take(all.table, {}, {begin}, {end}, {}, {});
        WindowSpan span = own.span();
        span.widen();
        INFO(ms << " ms, " << ticks_a_ns << " ticks a nanosecond");
        CHECK(span.size() >= 128);
        CHECK(span.size() <= 256);
        SummedWindows sums;
        REQUIRE(sums.begin(span));
        sums.add(own);
        std::uint64_t used = 0;
        for (WindowAmounts const& one : sums.all())
          used += one[static_cast<std::size_t>(CallKind::collective)].calls > 0 ? 1 : 0;
        CHECK(used + 1 >= span.size());
      }
    }
  }
}
