#include "message_waits/pending_counts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace commprof {

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
