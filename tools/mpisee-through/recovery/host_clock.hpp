#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "base/clock.hpp"
#include "spool/layout.hpp"

namespace mpisee_through {

// What this machine's clocks say at one moment.
struct OwnClocks {
  std::uint64_t tsc = 0;
  std::uint64_t monotonic_ns = 0;
  double time_of_day_s = 0;

  [[nodiscard]] static OwnClocks read();
};

// The clock that the processes of one host stamp their calls with, which is one for all of them.
class HostClock {
 public:
  // A process's: its owner, two readings, and the latest of its stamps.
  void take(commprof::spool::Owner const& owner, commprof::clock::Reading const& first,
            commprof::clock::Reading const& last, commprof::Ticks latest);

  // How long ago something was stamped, by the clocks of this host, on which the process runs.
  [[nodiscard]] double seconds_until(OwnClocks const& now, commprof::Ticks stamp) const;
  // By the time of day here and on the host of the process.
  [[nodiscard]] double seconds_by_day(OwnClocks const& now, commprof::spool::Owner const& owner,
                                      commprof::Ticks stamp) const;
  // Until the latest stamp of the host.
  [[nodiscard]] double seconds_until_latest(commprof::Ticks stamp) const;

 private:
  [[nodiscard]] double seconds(commprof::Ticks from, commprof::Ticks to) const;

  bool reads_tsc_ = false;
  std::optional<commprof::clock::Reading> first_;
  commprof::clock::Reading last_;
  commprof::Ticks latest_;
};

}  // namespace mpisee_through
