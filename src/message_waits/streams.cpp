#include "message_waits/streams.hpp"

#include <bit>

#include "base/changing.hpp"
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

}  // namespace commprof
