#include "message_waits/streams.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/live.hpp"
#include "base/memory.hpp"

namespace commprof {

namespace {

// A hash of sender and receiver, the same at both ends of a stream.
std::uint64_t hash_of_pair(StreamKey key, std::int32_t own_rank) {
  auto const own = static_cast<std::uint64_t>(own_rank), peer = static_cast<std::uint64_t>(key.peer());
  return scattered(key.way() == Way::out ? own << 32 | peer : peer << 32 | own);
}
std::uint64_t hash_of_tag(StreamKey key) { return scattered(static_cast<std::uint64_t>(key.tag())); }

// Counts the distinct hashes that it sees, roughly: by 4,096 bits.
class Distinct {
 public:
  void add(std::uint64_t hash) { bits_[hash >> 58] |= std::uint64_t{1} << (hash >> 52 & 63); }
  int count() const {
    int sum = 0;
    for (std::uint64_t const word : bits_) sum += std::popcount(word);
    return sum;
  }

 private:
  std::uint64_t bits_[64]{};
};

}  // namespace

bool Streams::begin(OwnRank own_rank, Choice* choice) {
  own_rank_ = own_rank;
  choice_ = choice;
  return reserve(decltype(all_)::slots_at_start);  // a page
}

void Streams::begin_threads() {
  if (is_threaded_ || !is_on()) return;
  is_threaded_ = true;
  if (all_.slots() < slots_with_threads) reserve(slots_with_threads);
}

bool Streams::Choice::keeps(StreamKey key, std::int32_t own_rank) const {
  unsigned const level = level_of(pair_level);
  if (key.is_of_members()) return true;
  return is_below(hash_of_tag(key), level_of(tag_level)) &&
         (level == 0 || is_below(hash_of_pair(key, own_rank), level));
}

bool Streams::keeps(StreamKey key) const {
  Choice const& all = choice();
  return all.keeps(key, all.depends_on_ranks() ? own_rank_in(key) : 0);
}

void Streams::thin() {
  Choice& all = choice();
  Distinct tags, pairs;
  all_.for_each([&](std::uint64_t bits, Stream const&) {
    StreamKey const key{bits};
    if (key.is_of_members() || !keeps(key)) return;
    tags.add(hash_of_tag(key) << all.tag_level);
    pairs.add(hash_of_pair(key, own_rank_in(key)) << all.pair_level);
  });
  std::atomic_ref(tags.count() >= pairs.count() ? all.tag_level : all.pair_level)
      .fetch_add(1, std::memory_order_relaxed);
  if (is_threaded_) return;
  Changing const changing(all.is_changing);
  all_.erase_if([this](std::uint64_t bits, Stream const&) { return !keeps({bits}); });
}

// False without memory. Another thread may be looking into the slots when threads begin, so they stay.
bool Streams::reserve(std::size_t slots) {
  Changing const changing(choice().is_changing);
  return all_.reserve(slots, is_threaded_);
}

// False if there is no room for one more.
bool Streams::make_room() {
  while (2 * (all_.size() + 1) > all_.slots()) {
    if (all_.slots() < 2 * most) {
      if (reserve(2 * all_.slots())) continue;
      return all_.size() < all_.slots() - all_.slots() / 8;
    }
    thin();
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
  for (Kind const& one : kinds) {
    Kind* const kind = find_or_add(one.key);
    if (kind == nullptr) return false;
    *kind = one;
  }
  return true;
}

}  // namespace commprof
