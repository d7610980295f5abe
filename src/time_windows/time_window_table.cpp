#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "time_windows/time_windows.hpp"

namespace commprof {

namespace {

using Wide = __int128;

// The narrowest window: with it, a run of ten milliseconds has more than a hundred.
constexpr std::uint32_t least_shift = 16, most_shift = 62;

// value * part / whole
std::uint64_t share(std::uint64_t value, std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint64_t>(static_cast<Wide>(value) * part / whole);
}

}  // namespace

Position WindowClock::of(Ticks here, clock::Reading const& first, clock::Rate rate) const {
  if (is_in_ns == 0) return here.count;
  bool const is_after = here >= first.ticks;
  std::uint64_t const distance = rate.to_ns(is_after ? here - first.ticks : first.ticks - here);
  std::uint64_t const ns = is_monotonic != 0 ? here.count : is_after ? first.ns + distance : first.ns - distance;
  return static_cast<Position>(std::max<std::int64_t>(static_cast<std::int64_t>(ns) + offset_ns, 0));
}

Ticks WindowClock::here(Position there, clock::Reading const& first, clock::Rate rate) const {
  if (is_in_ns == 0) return {there};
  Wide const ns = static_cast<Wide>(there) - offset_ns;
  if (is_monotonic != 0) return {static_cast<std::uint64_t>(ns)};
  Wide const since = ns - static_cast<Wide>(first.ns);
  return {first.ticks.count + static_cast<std::uint64_t>(since * rate.ticks / static_cast<Wide>(rate.nanoseconds))};
}

TimeWindowTable* TimeWindowTable::make(void* memory, std::uint32_t windows, WindowClock const& clock, Position begin) {
  auto* const table = new (memory) TimeWindowTable;
  table->clock_ = clock;
  table->begin_ = table->swept_ = begin;
  table->halves_[0] = {begin >> least_shift, least_shift, 0};
  table->windows_ = windows;
  return table;
}

bool TimeWindowTable::is_sound(std::size_t bytes) const {
  return bytes >= sizeof(TimeWindowTable) && windows_ >= least_windows && windows_ <= most_windows &&
         windows_ % 2 == 0 && bytes >= bytes_for(windows_) && in_force_ < 2 && shift() >= least_shift &&
         shift() <= most_shift;
}

WindowAmounts TimeWindowTable::sum() const {
  WindowAmounts sum{};
  for (std::uint32_t i = 0; i < windows_; ++i)
    for (std::size_t kind = 0; kind < call_kinds; ++kind) sum[kind] += at(i)[kind];
  return sum;
}

void TimeWindowTable::reach(Position position) {
  while (number(position) >= first() + windows_ && shift() < most_shift) join();
}

void TimeWindowTable::join() {
  std::uint32_t const other = in_force_ ^ 1;
  std::uint64_t const new_first = first() / 2;
  WindowAmounts* const to = amounts(other);
  std::fill_n(to, windows_, WindowAmounts{});
  for (std::uint32_t i = 0; i < windows_; ++i)
    for (std::size_t kind = 0; kind < call_kinds; ++kind) to[(first() + i) / 2 - new_first][kind] += at(i)[kind];
  halves_[other] = {new_first, shift() + 1, 0};
  std::atomic_ref(in_force_).store(other, std::memory_order_release);
}

std::uint32_t TimeWindowTable::place(Position position) const {
  std::uint64_t const wanted = std::max(number(position), first()) - first();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, windows_ - 1));
}

void TimeWindowTable::add(CallKind kind, Position from, Position until, WindowAmount const& amount) {
  WindowAmounts* const all = amounts(in_force_);
  auto const which = static_cast<std::size_t>(kind);
  std::uint32_t const begin = place(from), end = place(until);
  if (begin >= end) {
    all[end][which] += amount;
    return;
  }
  WindowAmount added;
  for (std::uint32_t i = begin; i <= end; ++i) {
    Position const closes = std::min((first() + i + 1) << shift(), until);
    auto const until_here = [&](std::uint64_t value) { return share(value, closes - from, until - from); };
    WindowAmount const reached =
        i == end ? amount : WindowAmount{until_here(amount.calls), until_here(amount.bytes), until_here(amount.time)};
    all[i][which] += added.missing_for(reached);
    added = reached;
  }
}

void WindowSpan::merge(WindowSpan const& other) {
  if (other.is_known == 0) return;
  if (is_known == 0) {
    *this = other;
    return;
  }
  windows = std::min(windows, other.windows);
  shift = std::max(shift, other.shift);
  clocks |= other.clocks;
  begin = std::min(begin, other.begin);
  end = std::max(end, other.end);
}

void WindowSpan::widen() {
  while (is_known != 0 && size() > windows) ++shift;
}

void OwnTimeWindows::take(TimeWindowTable const& table, WindowAmounts const& of_records, Ticks start, Ticks now,
                          clock::Reading const& first, clock::Rate rate) {
  std::size_t const bytes = TimeWindowTable::bytes_for(table.windows());
  if (!table_.resize((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t))) return;
  std::memcpy(table_.begin(), &table, bytes);
  auto& own = *reinterpret_cast<TimeWindowTable*>(table_.begin());
  rate_ = rate;
  WindowClock const& clock = own.clock();
  Position const end = std::max({clock.of(now, first, rate), own.begin(), own.swept()});
  own.reach(end);
  WindowAmounts const known = own.sum();
  for (std::size_t kind = 0; kind < call_kinds; ++kind)
    own.add_rest(static_cast<CallKind>(kind), end, known[kind].missing_for(of_records[kind]), rate);
  span_ = {1,
           own.windows(),
           own.shift(),
           clock.is_in_ns == 0    ? WindowSpan::of_ticks
           : clock.is_common != 0 ? WindowSpan::of_common_ns
                                  : WindowSpan::of_ns,
           std::min(clock.of(start, first, rate), end),
           end,
           rate};
}

void OwnTimeWindows::add_unfinished(CallKind kind, Ticks begin, Ticks end, clock::Reading const& first) {
  if (!is_known()) return;
  auto& own = *reinterpret_cast<TimeWindowTable*>(table_.begin());
  WindowClock const& clock = own.clock();
  own.add(kind, clock.of(begin, first, rate_), clock.of(end, first, rate_), {0, 0, (end - begin).count});
}

bool SummedWindows::begin(WindowSpan const& span) {
  span_ = span;
  if (!all_.resize(span.size())) return false;
  std::fill(all_.begin(), all_.end(), WindowAmounts{});
  return true;
}

void SummedWindows::add(OwnTimeWindows const& own) {
  if (!own.is_known()) return;
  TimeWindowTable const& table = own.table();
  std::uint64_t const first = span_.begin >> span_.shift;
  for (std::uint32_t i = 0; i < table.windows(); ++i) {
    std::uint64_t const number = (table.first() + i) >> (span_.shift - table.shift());
    std::uint64_t const place = std::min<std::uint64_t>(std::max(number, first) - first, all_.size() - 1);
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
      WindowAmount amount = table.at(i)[kind];
      amount.time = own.rate().to_ns({amount.time});
      all_.begin()[place][kind] += amount;
    }
  }
}

bool SummedWindows::add(SummedWindows const& others) {
  if (others.all_.size() != all_.size()) return false;
  for (std::size_t i = 0; i < all_.size(); ++i)
    for (std::size_t kind = 0; kind < call_kinds; ++kind) all_.begin()[i][kind] += others.all_.begin()[i][kind];
  return true;
}

int ranks_of_windows(int ranks, bool is_of_sums) {
  int const most_groups = is_of_sums ? 64 : 1024;
  int group = 1;
  while (group < (ranks + most_groups - 1) / most_groups) group *= 2;
  return group;
}

}  // namespace commprof
