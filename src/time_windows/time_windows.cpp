#include "time_windows/time_windows.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

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
  bool const is_after = here >= first.ticks;
  std::uint64_t const distance = rate.to_ns(is_after ? here - first.ticks : first.ticks - here);
  std::uint64_t const ns = is_monotonic != 0 ? here.count : is_after ? first.ns + distance : first.ns - distance;
  return static_cast<Position>(std::max<std::int64_t>(static_cast<std::int64_t>(ns) + offset_ns, 0));
}

Ticks WindowClock::here(Position there, clock::Reading const& first, clock::Rate rate) const {
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
           clock.is_common != 0 ? WindowSpan::common : WindowSpan::own,
           std::min(clock.of(start, first, rate), end),
           end};
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

constinit TimeWindows time_windows::of_process;

namespace {

constexpr std::uint64_t part_of_time = 500;          // adding up takes at most one part in this many,
constexpr std::uint64_t ns_in_any_case = 1'000'000;  // and these nanoseconds

// False in a pause, and within callbacks.
bool is_counted_now() { return this_thread.site != &within_callback && state.here().base != RecordKey::of_nothing; }

WindowAmounts sum_of(Shard const& shard) {
  WindowAmounts sums{};
  shard.for_each([&](Record const& record) { add_record(sums, record); });
  return sums;
}

}  // namespace

void TimeWindows::begin(Ticks now, std::uint32_t windows, WindowClock const& clock, MessageWaits& alarm) {
  Guard const guard(mutex_);
  if (table_ != nullptr) return;
  std::uint32_t const even = windows - windows % 2;
  void* const memory = map_pages(TimeWindowTable::bytes_for(even), {spool::Kind::time_windows, 0, 0});
  if (memory == nullptr) return;
  rate_ = clock::rate_until_now();
  begin_ = now;
  Position const begin = clock.of(now, clock::first_reading(), rate_);
  table_ = TimeWindowTable::make(memory, even, clock, begin);
  alarm_ = &alarm;
  opened_ = table_->number(begin) << table_->shift();
  added_.clear();
  set_due(now, {});
}

void TimeWindows::pass(Interval call, Op op, bool is_added) {
  Guard const guard(mutex_);
  Ticks const entry = call.end - call.elapsed;
  if (due_.count == UINT64_MAX || call.end == handled_) return;
  handled_ = call.end;
  bool const is_due = call.end >= due_;
  Shard const* const own = is_counted_now() ? Shards::mine() : nullptr;
  if (is_due) return add_up(entry, call.end, op, is_added, own);
  // Another thread has opened the window in which the call ends.
  WindowAmount part{.time = before_opened(entry, call.elapsed)};
  WindowAmounts* const added = part.time == 0 || own == nullptr ? nullptr : added_of(*own);
  if (added == nullptr) return;
  auto const kind = static_cast<std::size_t>(kind_of(op));
  // The thread that opened the window may have added up the record of this call, too, as if it were a short one.
  if (is_added) part.time = std::min(part.time, (*added)[kind].missing_for(sum_of(*own)[kind]).time);
  table_->add(kind_of(op), there(entry), std::min(there(entry + Ticks{part.time}), opened_ - 1), part);
  (*added)[kind] += part;
}

WindowAmounts* TimeWindows::added_of(Shard const& shard) {
  while (added_.size() <= shard.number)
    if (!added_.push_back({})) return nullptr;
  return added_.begin() + shard.number;
}

std::uint64_t TimeWindows::before_opened(Ticks entry, Ticks time) const {
  if (there(entry) >= opened_) return 0;
  return std::min(table_->clock().here(opened_, clock::first_reading(), rate_) - entry, time).count;
}

void TimeWindows::add_up(Ticks entry, Ticks exit, Op op, bool is_added, Shard const* own) {
  Ticks const work_begins = clock::now();
  rate_ = clock::rate_until_now();
  Position const ended = there(exit);
  Ticks const opened = table_->clock().here(opened_, clock::first_reading(), rate_);
  table_->reach(ended);
  opened_ = table_->number(ended) << table_->shift();
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    WindowAmounts* const added = added_of(*shard);
    if (added == nullptr) continue;
    WindowAmounts const sums = sum_of(*shard);
    if (shard == own) add_own(entry, exit, op, is_added, *added, sums);
    add_rest(*added, sums, shard == own ? there(entry) : ended, exit - std::min(opened, exit));
  }
  table_->set_swept(ended);
  set_due(exit, clock::since(work_begins));
}

void TimeWindows::add_own(Ticks entry, Ticks exit, Op op, bool is_added, WindowAmounts& added,
                          WindowAmounts const& sums) {
  auto const kind = static_cast<std::size_t>(kind_of(op));
  WindowAmount const missing = added[kind].missing_for(sums[kind]);
  WindowAmount all{.time = (exit - entry).count}, whole;
  // The bytes of the call are not known here. It has as many as others of its kind.
  if (is_added && missing.calls > 0) whole = {1, missing.bytes / missing.calls, 0};
  if (is_added) all.time = std::min(all.time, missing.time);
  WindowAmount const before{.time = before_opened(entry, {all.time})};
  whole.time = all.time - before.time;
  if (before.time > 0) table_->add(kind_of(op), there(entry), opened_ - 1, before);
  Position const ended = there(exit);
  table_->add(kind_of(op), ended, ended, whole);
  added[kind] += before;
  added[kind] += whole;
}

void TimeWindows::add_rest(WindowAmounts& added, WindowAmounts const& sums, Position by, Ticks most) {
  WindowAmounts rest;
  std::uint64_t time = 0;
  for (std::size_t kind = 0; kind < call_kinds; ++kind) {
    rest[kind] = added[kind].missing_for(sums[kind]);
    time += rest[kind].time;
  }
  auto const* const longest = time > most.count ? &*std::ranges::max_element(rest, {}, &WindowAmount::time) : nullptr;
  for (std::size_t kind = 0; kind < call_kinds; ++kind) {
    auto const name = static_cast<CallKind>(kind);
    if (&rest[kind] == longest) {
      Position const length = rate_.to_ns({rest[kind].time});
      table_->add(name, by - std::min(length, by), by, rest[kind]);
    } else {
      table_->add_rest(name, by, rest[kind], rate_);
    }
    added[kind] += rest[kind];
  }
}

// The next window, or a later one if adding up has taken too long.
void TimeWindows::set_due(Ticks exit, Ticks cost) {
  cost_ += cost;
  clock::Reading const& first = clock::first_reading();
  WindowClock const& clock = table_->clock();
  std::uint64_t const granted = ns_in_any_case * rate_.ticks / rate_.nanoseconds;
  Ticks const earliest{cost_.count > granted ? begin_.count + (cost_.count - granted) * part_of_time : 0};
  due_ = std::max(clock.here((table_->number(there(exit)) + 1) << table_->shift(), first, rate_), earliest);
  table_->set_due(there(due_));
  alarm_->wake_at(due_, clock.here(opened_, first, rate_));
}

}  // namespace commprof
