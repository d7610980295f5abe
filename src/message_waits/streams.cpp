#include "message_waits/streams.hpp"

#include <bit>

#include "base/memory.hpp"

namespace commprof {

namespace {

constexpr std::size_t slots_at_start = 256;  // a page

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

bool Streams::begin(OwnRank own_rank) {
  own_rank_ = own_rank;
  return rebuild(slots_at_start);
}

void Streams::begin_threads() {
  if (is_threaded_ || !is_on()) return;
  is_threaded_ = true;
  if (mask_ + 1 < slots_with_threads) rebuild(slots_with_threads);
}

std::uint64_t Streams::hash_of_pair(StreamKey key) const {
  auto const own = static_cast<std::uint64_t>(own_rank_(key.comm())), peer = static_cast<std::uint64_t>(key.peer());
  return scattered(key.way() == Way::out ? own << 32 | peer : peer << 32 | own);
}

bool Streams::keeps(StreamKey key) const {
  // Another thread may be raising them.
  auto const value_of = [](unsigned const& level) {
    return std::atomic_ref(const_cast<unsigned&>(level)).load(std::memory_order_relaxed);
  };
  unsigned const pair_level = value_of(pair_level_);
  return is_below(hash_of_tag(key), value_of(tag_level_)) &&
         (pair_level == 0 || is_below(hash_of_pair(key), pair_level));
}

bool Streams::thin() {
  Distinct tags, pairs;
  for (std::size_t i = 0; i <= mask_; ++i) {
    StreamKey const key{std::atomic_ref(slots_[i].key).load(std::memory_order_relaxed)};
    if (!key || !keeps(key)) continue;
    tags.add(hash_of_tag(key) << tag_level_);
    pairs.add(hash_of_pair(key) << pair_level_);
  }
  std::atomic_ref(tags.count() >= pairs.count() ? tag_level_ : pair_level_).fetch_add(1, std::memory_order_relaxed);
  return is_threaded_ || rebuild(mask_ + 1);
}

Stream const* Streams::find(StreamKey key) const {
  for (std::size_t i = slot_of(key); is_on() && slots_[i].key != 0; i = (i + 1) & mask_)
    if (slots_[i].key == key.packed) return &slots_[i];
  return nullptr;
}

// Moves the streams that are kept into a table of its own. False without memory.
bool Streams::rebuild(std::size_t slots) {
  auto* const pages = static_cast<Stream*>(map_pages(slots * sizeof(Stream)));
  if (pages == nullptr) return false;
  Streams larger = *this;
  larger.slots_ = pages;
  larger.mask_ = slots - 1;
  larger.shift_ = 64 - static_cast<unsigned>(std::bit_width(slots - 1));
  larger.used_ = 0;
  for (std::size_t i = 0; slots_ != nullptr && i <= mask_; ++i) {
    if (slots_[i].key == 0 || !keeps({slots_[i].key})) continue;
    std::size_t to = larger.slot_of({slots_[i].key});
    while (pages[to].key != 0) to = (to + 1) & larger.mask_;
    pages[to] = slots_[i];
    ++larger.used_;
  }
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
    if (!thin()) return false;
  }
  return true;
}

Stream* Streams::add(StreamKey key) {
  if (!key || !is_on() || !keeps(key)) return nullptr;
  if (is_threaded_) return add_among_threads(key);
  if (!make_room() || !keeps(key)) return nullptr;
  std::size_t i = slot_of(key);
  while (slots_[i].key != 0) i = (i + 1) & mask_;
  slots_[i].key = key.packed;
  ++used_;
  return &slots_[i];
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

}  // namespace commprof
