#include "message_waits/placed_instants.hpp"

namespace commprof {

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

}  // namespace commprof
