#include "recovery/run_end.hpp"

#include <algorithm>

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

ProcessClock::ProcessClock(SpoolFile const& file, Life is_alive)
    : start(file.owner.start),
      latest(std::max(file.end, file.abort.at)),
      start_day_s(seconds_of(file.owner.start_time)),
      rate(file.rate),
      reads_tsc(file.owner.reads_tsc != 0),
      has_aborted(file.abort.at != Ticks{}),
      life(is_alive) {
  for (CurrentCall const& call : file.current_calls) latest = std::max(latest, call.since);
}

double ProcessClock::day_s(Ticks stamp) const { return start_day_s + (stamp > start ? seconds(stamp - start) : 0); }

Ticks ProcessClock::at(double day_s) const {
  double const since_start_ns = std::clamp((day_s - start_day_s) * 1e9, 0.0, 1e18);
  return start + Ticks{static_cast<std::uint64_t>(since_start_ns * rate.hertz() * 1e-9)};
}

void RunEnd::read(std::filesystem::path const& spool) {
  command_ = read_command_end(spool);
  if (!command_) command_ = read_command_end(spool.parent_path());  // the files are on the nodes
}

void RunEnd::take(ProcessClock const& process) {
  latest_day_s_ = std::max(latest_day_s_, process.day_s(process.latest));
  some_run_ |= process.life == Life::running;
  has_aborted_ |= process.has_aborted;
}

Ticks RunEnd::of_alone(ProcessClock const& process) const {
  Ticks const present{process.reads_tsc ? now_.tsc : now_.monotonic_ns};
  if (process.life == Life::running) return std::max(process.latest, present);
  return command_ ? std::max(process.latest, process.at(command_->day_s)) : process.latest;
}

Ticks RunEnd::of(ProcessClock const& process) const {
  Ticks const alone = of_alone(process);
  return some_run_ ? alone : std::max(alone, process.at(latest_day_s_));
}

}  // namespace mpisee_through
