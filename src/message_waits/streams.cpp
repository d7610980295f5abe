#include "message_waits/streams.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/live.hpp"
#include "base/memory.hpp"

namespace commprof {

bool Streams::begin(Choice& choice) {
  choice_ = &choice;
  return reserve(decltype(all_)::slots_at_start);  // a page
}

void Streams::begin_threads() {
  if (is_threaded_ || !is_on()) return;
  is_threaded_ = true;
  if (all_.slots() < slots_with_threads) reserve(slots_with_threads);
}

// Sender and receiver keep the same streams: the choice depends on the tag alone. Another thread may be raising the
// level.
bool Streams::Choice::keeps(StreamKey key) const {
  unsigned const level = std::atomic_ref(const_cast<std::uint32_t&>(tag_level)).load(std::memory_order_relaxed);
  return key.is_of_members() || is_below(scattered(static_cast<std::uint64_t>(key.tag())), level);
}

bool Streams::thin() {
  Choice const next{choice_->tag_level + 1};
  std::size_t before = 0, after = 0;
  all_.for_each([&](std::uint64_t bits, Stream const&) {
    StreamKey const key{bits};
    if (key.is_of_members() || !keeps(key)) return;
    ++before;
    if (next.keeps(key)) ++after;
  });
  if (after < before / 8 || after > before - before / 8) return false;
  std::atomic_ref(choice_->tag_level).store(next.tag_level, std::memory_order_relaxed);
  if (is_threaded_) return true;
  is_full_ = false;
  Changing const changing(choice_->is_changing);
  all_.erase_if([this](std::uint64_t bits, Stream const&) { return !keeps({bits}); });
  return true;
}

// False without memory. Another thread may be looking into the slots when threads begin, so they stay.
bool Streams::reserve(std::size_t slots) {
  Changing const changing(choice_->is_changing);
  return all_.reserve(slots, is_threaded_);
}

// False if there is no room for one more.
bool Streams::make_room() {
  while (2 * (all_.size() + 1) > all_.slots()) {
    if (all_.slots() < 2 * most) {
      if (reserve(2 * all_.slots())) continue;
      return all_.size() < all_.slots() - all_.slots() / 8;
    }
    if (is_full_ || !thin()) return is_full_ = true, false;
  }
  return true;
}

Stream* Streams::add(StreamKey key) {
  if (!key || !is_on() || !keeps(key)) return nullptr;
  if (is_threaded_) return all_.find_or_add_among_threads(key);
  return make_room() && keeps(key) ? all_.add(key) : nullptr;
}

namespace {

using Wide = __int128;

constexpr std::uint64_t least_margin_ns = 20'000, most_margin_ns = 2'000'000;
constexpr unsigned drift_shift =
    18;  // clocks that are kept at the rate of true time differ by less than 4 in a million

}  // namespace

void PlacedInstants::begin(Ticks now, std::optional<ClockOffset> const& offset) {
  has_offset_ = offset ? 1 : 0;
  offset_ = offset.value_or(ClockOffset{});
  level_ = 0;
  count_ = 0;
  first_ = latest_ = moment(now);
  base_ = instants::cell_at({first_.there}) + 1;
  upcoming_ = placed(base_);
}

// On one clock, `there` is the reading itself.
PlacedInstants::Moment PlacedInstants::moment(Ticks now) const {
  if (has_offset_ == 0) return {now, now.count};
  clock::Reading const reading = clock::reads_tsc ? clock::read() : clock::Reading{now, now.count};
  return {reading.ticks, reading.ns + static_cast<std::uint64_t>(offset_.ns)};
}

// Places an instant by its distance from the latest moment, at the rate of the clock since the first one.
PlacedInstants::One PlacedInstants::placed(instants::Cell cell) const {
  std::uint64_t const there = instants::time_of(cell).count;
  if (has_offset_ == 0) return {cell, {there}, {}};
  clock::Reading const begun = clock::first_reading();
  auto const here_since = static_cast<Wide>((latest_.here - begun.ticks).count);
  auto const there_since =
      static_cast<Wide>(latest_.there - static_cast<std::uint64_t>(offset_.ns)) - static_cast<Wide>(begun.ns);
  bool const has_rate = clock::reads_tsc && here_since > 0 && there_since > 0;
  auto const ticks_of = [&](Wide ns) { return has_rate ? ns * here_since / there_since : ns; };
  Wide const distance = static_cast<Wide>(there) - static_cast<Wide>(latest_.there);
  std::uint64_t const elapsed = there > first_.there ? there - first_.there : 0;
  std::uint64_t const margin_ns =
      std::min(least_margin_ns + 2 * offset_.error_ns + (elapsed >> drift_shift), most_margin_ns);
  return {cell,
          {latest_.here.count + static_cast<std::uint64_t>(ticks_of(distance))},
          {static_cast<std::uint64_t>(ticks_of(static_cast<Wide>(margin_ns)))}};
}

bool PlacedInstants::are_too_many(Ticks now) const {
  std::uint64_t const there = moment(now).there;
  return (instants::cell_at({there}) >> level_) - (base_ >> level_) >= instants::most;
}

void PlacedInstants::place(Ticks entry, Ticks now) {
  latest_ = moment(now);
  while (upcoming_.at <= now && count_ < std::size(ones_)) {
    upcoming_.is_in_call = upcoming_.at > entry ? 1 : 0;
    ones_[count_++] = upcoming_;
    One next = placed(instants::chosen(level_, (upcoming_.cell >> level_) + 1));
    next.at = std::max(next.at, upcoming_.at + Ticks{1});
    upcoming_ = next;
  }
}

void PlacedInstants::halve() {
  ++level_;
  One* const kept =
      std::remove_if(ones_, ones_ + count_, [this](One const& one) { return !instants::is_kept(one.cell, level_); });
  count_ = static_cast<std::size_t>(kept - ones_);
  instants::Cell next = instants::chosen(level_, upcoming_.cell >> level_);
  if (next < upcoming_.cell) next = instants::chosen(level_, (upcoming_.cell >> level_) + 1);
  if (next != upcoming_.cell) upcoming_ = placed(next);
}

CommonClock PlacedInstants::clock_of_first_host() const {
  CommonClock clock;
  if (has_offset_ == 0) return clock;
  clock.is_known = true;
  clock.first = {first_.here, {first_.there}};
  clock.last = {latest_.here, {latest_.there}};
  clock.error_ns = offset_.error_ns + ((latest_.there - first_.there) >> drift_shift);
  return clock;
}

void PlacedInstants::convert(CommonClock const& clock) {
  for (One* one = ones_; one != ones_ + count_; ++one) {
    Ticks const opens = clock.of(one->opens());
    one->at = clock.of(one->at);
    one->margin = one->at - opens;
  }
}

// nullptr: there are too many kinds.
PendingCounts::Kind* PendingCounts::find_or_add(RecordKey key) {
  std::uint32_t* number = numbers_.find(key);
  if (number == nullptr) {
    if (kinds_.size() == most_kinds || (number = numbers_.add(key)) == nullptr) return nullptr;
  }
  if (*number == 0) {
    if (!kinds_.push_back({.key = key})) return nullptr;
    *number = static_cast<std::uint32_t>(kinds_.size());
  }
  return kinds_.begin() + (*number - 1);
}

void PendingCounts::add(RecordKey key, std::size_t first, std::size_t end) {
  Kind* const kind = first < end ? find_or_add(key) : nullptr;
  if (kind == nullptr) return;
  ++kind->changes[first];
  --kind->changes[end];
}

void PendingCounts::halve(PlacedInstants const& instants) {
  std::size_t const size = instants.size();
  bool is_kept[PlacedInstants::most];
  for (std::size_t i = 0; i < size; ++i) is_kept[i] = instants.survives_halving(i);
  for (Kind& kind : kinds_) {
    std::size_t kept = 0;
    std::int32_t change = 0;
    for (std::size_t i = 0; i < size; ++i) {
      change += kind.changes[i];
      if (is_kept[i]) kind.changes[kept++] = std::exchange(change, 0);
    }
    kind.changes[kept] = change + kind.changes[size];
    std::fill(kind.changes + kept + 1, std::end(kind.changes), 0);
  }
}

void PendingCounts::clear() {
  kinds_.shrink(0);
  numbers_.release();
}

bool PendingCounts::restore(std::span<Kind const> kinds) {
  return std::all_of(kinds.begin(), kinds.end(), [this](Kind const& one) { return kinds_.push_back(one); });
}

}  // namespace commprof
