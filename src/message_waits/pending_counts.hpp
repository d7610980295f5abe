// How many requests were pending at each instant: an estimate of how long requests are pending, and of how much of that
// time computation covers. A request counts when it ends, so an instant costs nothing, however many are pending. Does
// not know MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/kept_vector.hpp"
#include "base/open_slots.hpp"
#include "counters/counters.hpp"
#include "message_waits/placed_instants.hpp"

namespace commprof {

class PendingCounts {
 public:
  // Requests of one communicator, operation and scope.
  struct Kind {
    RecordKey key;
    // How many more were pending at instant i than at the one before. The last ones end at the instant that comes next.
    std::int32_t changes[PlacedInstants::most + 1]{};
  };
  static constexpr std::size_t most_kinds = 250;  // 1 MiB; requests of other kinds do not count

  // A request was pending since instant `first`, and not at instant `end` any more.
  void add(RecordKey key, std::size_t first, std::size_t end);
  // Must precede instants.halve().
  void halve(PlacedInstants const& instants);
  void clear();
  // For the reader: takes what it has found. False without memory.
  bool restore(std::span<Kind const> kinds);

  KeptVector<Kind> const& kinds() const { return kinds_; }

 private:
  struct Place {
    RecordKey key;
    std::uint32_t number = 0;  // of its kind, from 1
    explicit operator bool() const { return number != 0; }
  };
  Kind* find_or_add(RecordKey key);

  KeptVector<Kind> kinds_{spool::Kind::pending_counts};
  OpenSlots<Place> places_;
};

}  // namespace commprof
