#include "time_windows/own_time_windows.hpp"

#include <algorithm>
#include <cstring>

namespace commprof {

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

bool SummedWindows::add(PageVector<WindowAmounts> const& others) {
  if (others.size() != all_.size()) return false;
  for (std::size_t i = 0; i < all_.size(); ++i)
    for (std::size_t kind = 0; kind < call_kinds; ++kind) all_.begin()[i][kind] += others.begin()[i][kind];
  return true;
}

int ranks_of_windows(int ranks, bool is_of_sums) {
  int const most_groups = is_of_sums ? 64 : 1024;
  int group = 1;
  while (group < (ranks + most_groups - 1) / most_groups) group *= 2;
  return group;
}

}  // namespace commprof
