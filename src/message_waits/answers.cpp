// What a process answers about its messages when the run has ended, and what a reader takes from one that was killed.
#include <algorithm>
#include <tuple>

#include "base/live.hpp"
#include "message_waits/message_waits.hpp"

namespace commprof {

void MessageWaits::order(CommonClock const& clock) {
  Guard const guard(mutex);
  // From now on, a reader of the spool could not tell which times are converted.
  if (kept_->must_convert != 0) ++kept_->is_changing;
  Changing const changing(kept_->is_changing);
  std::sort(log_.begin(), log_.end(), [](Entry const& a, Entry const& b) {
    return std::tuple(a.key, a.label, a.count) < std::tuple(b.key, b.label, b.count);
  });
  if (kept_->must_convert == 0) return;
  if (!clock.is_known) kept_->is_broken = 1;
  clock_error_ = {static_cast<std::uint64_t>(static_cast<unsigned __int128>(clock.error_ns) * clock.rate.ticks /
                                             std::max<std::uint64_t>(clock.rate.nanoseconds, 1))};
  kept_->instants.convert(clock);
  if (known_until_ != Ticks{UINT64_MAX}) known_until_ = clock.of(known_until_);
  for (Entry& entry : log_) entry.time = clock.of(entry.time);
  for (SpanningCall& span : spans_) {
    span.entry = clock.of(span.entry);
    span.exit = clock.of(span.exit);
  }
}

// The log has several entries of a stream for an instant if hosts have clocks of their own: those within its window,
// and the first one after it.
MessageWaits::Answer MessageWaits::answer(StreamKey key, Question const& asked) const {
  if (!is_on() || !key || (key.way() == Way::in ? is_lost(key.comm()) : kept_->is_broken != 0)) return {};
  if (!instants::is_kept(asked.cell, kept_->instants.level())) return {Told::not_kept};
  PlacedInstants::One const* const own = kept_->instants.find(asked.cell);
  Stream const* const stream = own == nullptr || !streams_.keeps(key) ? nullptr : streams_.find(key);
  if (stream == nullptr || stream->label == Stream::unknown) return {};
  std::uint32_t const label = label_of(asked.cell), number = asked.number;
  Entry const* const first =
      std::lower_bound(log_.begin(), log_.end(), std::tuple(key.packed, label),
                       [](Entry const& a, auto const& wanted) { return std::tuple(a.key, a.label) < wanted; });
  auto const is_of_stream = [&](Entry const* one) { return one != log_.end() && one->key == key.packed; };
  Entry const* entry = first;  // the first after the asker's instant
  while (is_of_stream(entry) && entry->label == label && entry->time <= asked.at) ++entry;
  // A member may make several calls before the one that is asked about: the last of these is nearest to it.
  if (key.is_of_members())
    while (is_of_stream(entry) && is_of_stream(entry + 1) && (entry + 1)->count <= number) ++entry;
  Entry const* const next = is_of_stream(entry) ? entry : nullptr;
  Ticks const when = next != nullptr ? next->time : Ticks{UINT64_MAX};
  // The messages before the instant are those of `least`, and perhaps some more below `most` that are not logged.
  std::uint32_t const most = next != nullptr ? next->count : stream->count;
  std::uint32_t const least = entry == first ? most : (entry - 1)->count + 1;
  if (number < least) return {asked.at >= own->opens() ? Told::before : Told::unknown, when, next};
  if (number < most) return {Told::unknown, when, next};
  if (key.way() == Way::out) return {when <= asked.exit ? Told::after : Told::unknown, when, next};
  bool const is_complete = asked.exit <= known_until_, is_sure = next != nullptr || is_complete;
  if (when >= asked.exit) return {is_sure ? Told::not_until : Told::unknown, when, next};
  // The receive of a later message than the next one came between two entries: in the call if both did.
  for (; is_of_stream(entry) && entry->time < asked.exit && entry->count <= number; ++entry)
    if (entry->count == number) return {Told::after, entry->time, next};
  bool const is_in_log = is_of_stream(entry), is_over = (is_in_log ? entry->count : stream->count) > number;
  if (is_over) return {is_in_log && entry->time < asked.exit ? Told::after : Told::unknown, when, next};
  return {is_in_log || is_complete ? Told::not_until : Told::unknown, when, next};
}

// Takes what a process has left in its spool file. The process may have been killed at any moment, and the file may be
// damaged.
namespace {

// More instants in calls than a process keeps: the file is damaged.
constexpr std::size_t most_hits = std::size_t{1} << 22;

template <class Values, class Value>
bool add_all(Values& all, std::span<Value const> more) {
  return std::all_of(more.begin(), more.end(), [&](Value const& one) { return all.push_back(one); });
}

bool are_in(std::size_t first, std::size_t count, std::size_t size) { return first <= size && count <= size - first; }

}  // namespace

bool MessageWaits::restore(Found const& found) {
  Kept const& kept = found.kept;
  bool const is_whole = kept.is_on == 1 && kept.is_changing == 0 && kept.is_broken == 0 && kept.must_convert <= 1 &&
                        kept.choice.is_changing == 0 && kept.instants.are_sound();
  if (!is_whole) return false;
  std::size_t hits = 0;
  auto const is_sound_call = [&](SpanningCall const& one) {
    std::size_t of_call = 0;
    kept.instants.for_each(one.entry, one.exit, [&](PlacedInstants::One const&) { ++of_call; });
    hits += of_call * std::max<std::size_t>(one.count, 1);
    return are_in(one.first, one.count, found.awaited.size()) && one.op < Op::count_ && one.entry <= one.exit &&
           static_cast<std::size_t>(one.scope) < found.scopes && hits <= most_hits;
  };
  auto const is_sound_message = [&](Awaited const& one) {
    bool const is_of_joint =
        !one.is_of_members() || static_cast<std::uint32_t>(one.tag) <= static_cast<std::uint32_t>(calls::Joint::file);
    bool const is_of_comm =
        one.what == Awaited::nothing || one.what == Awaited::other || static_cast<std::size_t>(one.comm) < found.comms;
    return one.what <= Awaited::members && one.way <= Way::in && is_of_joint && is_of_comm;
  };
  auto const is_sound_kind = [&](PendingCounts::Kind const& one) {
    return static_cast<std::size_t>(one.key.comm()) < found.comms && one.key.op() < Op::count_ &&
           static_cast<std::size_t>(one.key.scope()) < found.scopes;
  };
  bool const is_sound = std::all_of(found.spans.begin(), found.spans.end(), is_sound_call) &&
                        std::all_of(found.awaited.begin(), found.awaited.end(), is_sound_message) &&
                        std::all_of(found.pending.begin(), found.pending.end(), is_sound_kind);
  if (!is_sound) return false;
  own_kept_ = kept;
  known_until_ = kept.noticed;
  return streams_.restore(found.streams, own_kept_.choice) && add_all(log_, found.log) &&
         add_all(spans_, found.spans) && add_all(awaited_, found.awaited) && pending_.restore(found.pending);
}

}  // namespace commprof
