#include "time_windows/time_windows.hpp"

#include <algorithm>

namespace commprof {

constinit TimeWindows time_windows::of_process;

namespace {

constexpr std::uint64_t part_of_time = 500;          // adding up takes at most one part in this many,
constexpr std::uint64_t ns_in_any_case = 1'000'000;  // and these nanoseconds

// False in a pause, and within callbacks. If the user leaves calls out, any call may be one of them.
bool is_counted_now() {
  return !left_out.is_any() && this_thread.site != &within_callback && state.here().base != RecordKey::of_nothing;
}

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
  if (table_->clock().is_in_ns != 0) rate_ = clock::rate_until_now();
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
      Position const length = table_->clock().length({rest[kind].time}, rate_);
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
