// Which requests are pending at instants, while the process is in MPI calls and while it is not: an estimate of how
// long requests are pending, and of how much of that time computation covers. Does not know MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/clock.hpp"
#include "base/common_clock.hpp"
#include "base/kept_vector.hpp"
#include "counters/counters.hpp"
#include "message_waits/placed_instants.hpp"

namespace commprof {

class PendingSpans {
 public:
  // The time between two calls that have noticed an instant. At its end, the process is in an MPI call since `entry`.
  struct Span {
    Ticks begin, entry, exit;
    std::uint32_t first = 0;  // index of the first kind of request
    std::uint32_t count = 0;  // of kinds
  };
  // Pending requests of one communicator, operation and scope.
  struct Kind {
    RecordKey key;
    std::uint32_t requests = 0;
  };
  // Calls take(self, key) for each pending request.
  using Visit = void (*)(void* self, void (*take)(void* self, RecordKey key));

  // False if there is no room: the caller drops instants.
  bool add(Ticks begin, Ticks entry, Ticks exit, Visit visit);
  void thin(PlacedInstants const& instants);
  void convert(CommonClock const& clock);
  // For the reader: takes what it has found. False without memory.
  bool restore(std::span<Span const> spans, std::span<Kind const> kinds);

  KeptVector<Span> const& spans() const { return spans_; }
  Kind const& kind(std::size_t i) const { return *(kinds_.begin() + i); }

 private:
  static constexpr std::size_t most_spans = 4096, most_kinds = 16384, most_of_span = 64;

  void take(RecordKey key);

  KeptVector<Span> spans_{spool::Kind::pending_spans};
  KeptVector<Kind> kinds_{spool::Kind::pending_kinds};
};

}  // namespace commprof
