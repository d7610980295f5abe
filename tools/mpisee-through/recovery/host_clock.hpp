#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "base/clock.hpp"
#include "spool/layout.hpp"

namespace mpisee_through {

// Readings of this machine's clocks at one moment.
struct OwnClocks {
  std::uint64_t tsc = 0;
  std::uint64_t monotonic_ns = 0;
  double time_of_day_s = 0;

  [[nodiscard]] static OwnClocks read();
};

// The clock by which all processes of one host stamp their calls.
class HostClock {
 public:
  // Takes the data of one process: the owner of its file, and two readings.
  void take(commprof::spool::Owner const& owner, commprof::clock::Reading const& first,
            commprof::clock::Reading const& last);

  // The time since a stamp of a process on this host, by this host's clocks.
  [[nodiscard]] double seconds_until(OwnClocks const& now, commprof::Ticks stamp) const;
  // The time since a stamp of a process on another host, by the time of day on both.
  [[nodiscard]] double seconds_by_day(OwnClocks const& now, commprof::spool::Owner const& owner,
                                      commprof::Ticks stamp) const;

 private:
  [[nodiscard]] double seconds(commprof::Ticks from, commprof::Ticks to) const;

  bool reads_tsc_ = false;
  std::optional<commprof::clock::Reading> first_;
  commprof::clock::Reading last_;
};

}  // namespace mpisee_through
