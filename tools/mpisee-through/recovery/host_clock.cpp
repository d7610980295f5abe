#include "recovery/host_clock.hpp"

#include <algorithm>

#include "files/command_end.hpp"

namespace mpisee_through {

using namespace commprof;

OwnClocks OwnClocks::read() {
  timespec day{};
  clock_gettime(CLOCK_REALTIME, &day);
  return {clock::counter().count, clock::monotonic_ns(), seconds_of(day)};
}

void HostClock::take(spool::Owner const& owner, clock::Reading const& first, clock::Reading const& last) {
  reads_tsc_ = owner.reads_tsc != 0;
  if (!first_ || first.ns < first_->ns) first_ = first;
  if (last.ns > last_.ns) last_ = last;
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
  return std::max(0.0, now.time_of_day_s - seconds_of(owner.start_time) - seconds(owner.start, stamp));
}

}  // namespace mpisee_through
