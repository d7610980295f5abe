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

}  // namespace

WindowAmounts sum_of_records() {
  WindowAmounts sums{};
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next())
    shard->for_each([&](Record const& record) { add_record(sums, record); });
  return sums;
}

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
  added_ = {};
  set_due(now, {});
}

void TimeWindows::pass(Interval call, Op op, bool is_added) {
  Guard const guard(mutex_);
  Ticks const entry = call.end - call.elapsed;
  if (due_.count == UINT64_MAX || call.end == handled_) return;
  handled_ = call.end;
  bool const is_due = call.end >= due_;
  bool const is_counted = is_counted_now();
  if (is_due) return add_up(entry, call.end, op, is_added, is_counted);
  // Another thread has opened the window in which the call ends.
  WindowAmount part{.time = before_opened(entry, call.elapsed)};
  if (part.time == 0 || !is_counted) return;
  auto const own = static_cast<std::size_t>(kind_of(op));
  // The thread that opened the window may have added up the record of this call, too.
  if (is_added) part.time = std::min(part.time, added_[own].missing_for(sum_of_records()[own]).time);
  table_->add(kind_of(op), there(entry), opened_ - 1, part);
  added_[own] += part;
}

std::uint64_t TimeWindows::before_opened(Ticks entry, Ticks time) const {
  if (there(entry) >= opened_) return 0;
  return std::min(table_->clock().here(opened_, clock::first_reading(), rate_) - entry, time).count;
}

void TimeWindows::add_up(Ticks entry, Ticks exit, Op op, bool is_added, bool is_counted) {
  Ticks const work_begins = clock::now();
  if (table_->clock().is_in_ns != 0) rate_ = clock::rate_until_now();
  auto const own = static_cast<std::size_t>(kind_of(op));
  Position const began = there(entry), ended = there(exit);
  table_->reach(ended);
  opened_ = table_->number(ended) << table_->shift();
  WindowAmounts const sums = sum_of_records();
  WindowAmounts to_add{};
  for (std::size_t kind = 0; kind < call_kinds; ++kind) to_add[kind] = added_[kind].missing_for(sums[kind]);
  if (is_counted) {
    WindowAmount all{.time = (exit - entry).count}, whole;
    // The bytes of the call are not known here. It has as many as others of its kind.
    if (is_added && to_add[own].calls > 0) whole = {1, to_add[own].bytes / to_add[own].calls, 0};
    if (is_added) all.time = std::min(all.time, to_add[own].time);
    WindowAmount const before{.time = before_opened(entry, {all.time})};
    if (is_added) whole.time = all.time - before.time;
    if (before.time > 0) table_->add(kind_of(op), began, opened_ - 1, before);
    table_->add(kind_of(op), ended, ended, whole);
    added_[own] += before;
    added_[own] += whole;
    for (std::size_t kind = 0; kind < call_kinds; ++kind) to_add[kind] = added_[kind].missing_for(sums[kind]);
  }
  for (std::size_t kind = 0; kind < call_kinds; ++kind) {
    table_->add_rest(static_cast<CallKind>(kind), began, to_add[kind], rate_);
    added_[kind] += to_add[kind];
  }
  table_->set_swept(ended);
  set_due(exit, clock::since(work_begins));
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
