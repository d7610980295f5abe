// Answers what other processes ask about messages, when the run has ended.
#include <algorithm>
#include <tuple>

#include "base/changing.hpp"
#include "message_waits/message_waits.hpp"

namespace commprof {

void MessageWaits::order(CommonClock const& clock) {
  Guard const guard(mutex);
  // From now on, a reader of the spool could not tell which times are converted.
  if (kept_->must_convert != 0) ++kept_->is_changing;
  Changing const changing(kept_->is_changing);
  if (cancelled_.size() > 0) renumber();
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
  if (!instants::is_kept(asked.cell, kept_->instants.level())) return {Told::not_kept, false, {}};
  PlacedInstants::One const* const own = kept_->instants.find(asked.cell);
  Stream const* const stream = own == nullptr || !streams_.keeps(key) ? nullptr : streams_.find(key);
  if (stream == nullptr || stream->label == Stream::unknown) return {};
  std::uint32_t const label = label_of(asked.cell), number = asked.number;
  Entry const* const first =
      std::lower_bound(log_.begin(), log_.end(), std::tuple(key.packed, label),
                       [](Entry const& a, auto const& wanted) { return std::tuple(a.key, a.label) < wanted; });
  auto const is_of_stream = [&](Entry const* one) { return one != log_.end() && one->key == key.packed; };
  Entry const* entry = first;  // the first after the asker's instant
  bool is_close = false;
  for (; is_of_stream(entry) && entry->label == label && entry->time <= asked.at; ++entry)
    is_close = is_close || (entry->count == number && entry->time + asked.clock_error >= asked.at);
  Ticks const when = is_of_stream(entry) ? entry->time : Ticks{UINT64_MAX};
  // The messages before the instant are those of `least`, and perhaps some more below `most` that are not logged.
  std::uint32_t const most = is_of_stream(entry) ? entry->count : stream->count;
  std::uint32_t const least = entry == first ? most : (entry - 1)->count + 1;
  if (number < least) return {asked.at >= own->opens() ? Told::before : Told::unknown, is_close, when};
  if (number < most) return {Told::unknown, is_close, when};
  is_close = is_of_stream(entry) && entry->count == number && when <= asked.at + asked.clock_error;
  if (key.way() == Way::out) return {when <= asked.exit ? Told::after : Told::unknown, is_close, when};
  bool const is_sure = is_of_stream(entry) || (asked.exit <= known_until_ && !has_unnumbered(key));
  if (when >= asked.exit) return {is_sure ? Told::not_until : Told::unknown, is_close, when};
  // The receive of a later message than the next one: looks for the entries around it.
  while (is_of_stream(entry) && entry->time < asked.exit) {
    if (entry->count == number) return {Told::after, is_close, entry->time};
    if (entry->count > number) return {Told::after, is_close, when};
    ++entry;
  }
  PlacedInstants::One const* const later = is_of_stream(entry) ? kept_->instants.find(cell_of(entry->label)) : nullptr;
  bool const is_posted_later = later != nullptr && entry->count <= number && later->opens() >= asked.exit;
  return {is_posted_later ? Told::not_until : Told::unknown, is_close, when};
}

}  // namespace commprof
