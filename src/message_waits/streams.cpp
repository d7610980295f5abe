#include "message_waits/streams.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/live.hpp"
#include "base/memory.hpp"

namespace commprof {

namespace {

constexpr std::size_t slots_at_start = 256;  // a page

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
  return rebuild(slots_at_start);
}

void Streams::begin_threads() {
  if (is_threaded_ || !is_on()) return;
  is_threaded_ = true;
  if (mask_ + 1 < slots_with_threads) rebuild(slots_with_threads);
}

bool Streams::Choice::keeps(StreamKey key, std::int32_t own_rank) const {
  unsigned const level = level_of(pair_level);
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
  for (std::size_t i = 0; i <= mask_; ++i) {
    StreamKey const key{std::atomic_ref(slots_[i].key).load(std::memory_order_relaxed)};
    if (!key || !keeps(key)) continue;
    tags.add(hash_of_tag(key) << all.tag_level);
    pairs.add(hash_of_pair(key, own_rank_in(key)) << all.pair_level);
  }
  std::atomic_ref(tags.count() >= pairs.count() ? all.tag_level : all.pair_level)
      .fetch_add(1, std::memory_order_relaxed);
  if (!is_threaded_) drop();
}

// Removes the streams that are not kept. A stream behind a free slot moves up, so that searches still find it. Begins
// after a slot that is free and stays so.
void Streams::drop() {
  Changing const changing(choice().is_changing);
  std::size_t begin = 0;
  while (slots_[begin].key != 0) ++begin;
  for (std::size_t k = 1; k <= mask_; ++k) {
    std::size_t const i = (begin + k) & mask_;
    while (slots_[i].key != 0 && !keeps({slots_[i].key})) {
      std::size_t hole = i;
      for (std::size_t next = (hole + 1) & mask_; slots_[next].key != 0; next = (next + 1) & mask_) {
        if (((next - slot_of({slots_[next].key})) & mask_) < ((next - hole) & mask_)) continue;
        slots_[hole] = slots_[next];
        hole = next;
      }
      slots_[hole] = {};
      --used_;
    }
  }
}

Stream* Streams::place_of(StreamKey key) const {
  std::size_t i = slot_of(key);
  while (slots_[i].key != 0 && slots_[i].key != key.packed) i = (i + 1) & mask_;
  return &slots_[i];
}

Stream const* Streams::find(StreamKey key) const {
  for (std::size_t i = slot_of(key); is_on() && slots_[i].key != 0; i = (i + 1) & mask_)
    if (slots_[i].key == key.packed) return &slots_[i];
  return nullptr;
}

// Moves the streams into a table of its own. False without memory.
bool Streams::rebuild(std::size_t slots) {
  Changing const changing(choice().is_changing);
  auto* const pages = static_cast<Stream*>(map_pages(slots * sizeof(Stream), {spool::Kind::streams, 0, tables_}));
  if (pages == nullptr) return false;
  Streams larger = *this;
  larger.slots_ = pages;
  larger.mask_ = slots - 1;
  larger.shift_ = 64 - static_cast<unsigned>(std::bit_width(slots - 1));
  ++larger.tables_;
  for (std::size_t i = 0; slots_ != nullptr && i <= mask_; ++i)
    if (slots_[i].key != 0) *larger.place_of({slots_[i].key}) = slots_[i];
  // Another thread may be looking into the slots when threads begin, so they stay.
  if (slots_ != nullptr && !is_threaded_) unmap_pages(slots_, (mask_ + 1) * sizeof(Stream));
  *this = larger;
  return true;
}

// False if there is no room for one more.
bool Streams::make_room() {
  while (used_ * 2 > mask_) {
    if (mask_ + 1 < 2 * most) {
      if (rebuild(2 * (mask_ + 1))) continue;
      return used_ < mask_ - mask_ / 8;
    }
    thin();
  }
  return true;
}

Stream* Streams::add(StreamKey key) {
  if (!key || !is_on() || !keeps(key)) return nullptr;
  if (is_threaded_) return add_among_threads(key);
  if (!make_room() || !keeps(key)) return nullptr;
  Stream* const place = place_of(key);
  place->key = key.packed;
  ++used_;
  return place;
}

Stream* Streams::add_among_threads(StreamKey key) {
  std::atomic_ref const used(used_);
  if (used.load(std::memory_order_relaxed) * 2 > mask_) return nullptr;
  for (std::size_t i = slot_of(key);; i = (i + 1) & mask_) {
    std::uint64_t found = 0;
    if (std::atomic_ref(slots_[i].key).compare_exchange_strong(found, key.packed, std::memory_order_relaxed)) {
      used.fetch_add(1, std::memory_order_relaxed);
      return &slots_[i];
    }
    if (found == key.packed) return &slots_[i];
  }
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
  auto const hash = [](Place const& of) { return scattered(of.key.packed); };
  Place* const place = places_.find_or_room(
      scattered(key.packed), kinds_.size(), [=](Place const& other) { return other.key == key; }, hash);
  if (place == nullptr) return nullptr;
  if (!*place) {
    if (kinds_.size() == most_kinds || !kinds_.push_back({.key = key})) return nullptr;
    *place = {key, static_cast<std::uint32_t>(kinds_.size())};
  }
  return kinds_.begin() + (place->number - 1);
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
  places_.release();
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
