#include "recovery/host_clock.hpp"

#include <algorithm>

namespace mpisee_through {

using namespace commprof;

OwnClocks OwnClocks::read() {
  timespec day{};
  clock_gettime(CLOCK_REALTIME, &day);
  return {clock::counter().count, clock::monotonic_ns(),
          static_cast<double>(day.tv_sec) + static_cast<double>(day.tv_nsec) * 1e-9};
}

void HostClock::take(spool::Owner const& owner, clock::Reading const& first, clock::Reading const& last, Ticks latest) {
  reads_tsc_ = owner.reads_tsc != 0;
  if (!first_ || first.ns < first_->ns) first_ = first;
  if (last.ns > last_.ns) last_ = last;
  latest_ = std::max({latest_, latest, last.ticks});
}

// Uses the rate between the first and the last reading: its error shrinks with the time between them.
double HostClock::seconds(Ticks from, Ticks to) const {
  if (to <= from) return 0;
  auto const ticks = static_cast<double>((to - from).count);
  if (!reads_tsc_) return ticks * 1e-9;
  if (!first_ || last_.ns <= first_->ns || last_.ticks <= first_->ticks) return 0;
  return ticks * 1e-9 / static_cast<double>((last_.ticks - first_->ticks).count) *
         static_cast<double>(last_.ns - first_->ns);
}

double HostClock::seconds_until(OwnClocks const& now, Ticks stamp) const {
  Ticks const ticks{reads_tsc_ ? now.tsc : now.monotonic_ns};
  HostClock with_now = *this;
  with_now.last_ = {ticks, now.monotonic_ns};
  return with_now.seconds(stamp, ticks);
}

double HostClock::seconds_by_day(OwnClocks const& now, spool::Owner const& owner, Ticks stamp) const {
  double const start =
      static_cast<double>(owner.start_time.tv_sec) + static_cast<double>(owner.start_time.tv_nsec) * 1e-9;
  return std::max(0.0, now.time_of_day_s - start - seconds(owner.start, stamp));
}

double HostClock::seconds_until_latest(Ticks stamp) const { return seconds(stamp, latest_); }

}  // namespace mpisee_through
