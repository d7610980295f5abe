// Clocks of hosts and processes, and the end of a run whose processes were killed, as far as it is known.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>

#include "base/clock.hpp"
#include "files/command_end.hpp"
#include "recovery/spool_file.hpp"
#include "spool/layout.hpp"
#include "waiting/job.hpp"

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

// What a spool file tells of its process's time.
struct ProcessClock {
  ProcessClock(SpoolFile const& file, Life is_alive);

  [[nodiscard]] double day_s(commprof::Ticks stamp) const;
  [[nodiscard]] commprof::Ticks at(double day_s) const;
  [[nodiscard]] double seconds(commprof::Ticks duration) const {
    return static_cast<double>(rate.to_ns(duration)) * 1e-9;
  }

  commprof::Ticks start, latest;  // latest: its last sign of life
  double start_day_s;
  commprof::clock::Rate rate;
  bool reads_tsc, has_aborted;
  Life life;
};

class RunEnd {
 public:
  // Reads what the launcher of the job wrote. spool: the directory of the spool files.
  void read(std::filesystem::path const& spool);
  // Must be called for all processes before of() and is_known().
  void take(ProcessClock const& process);

  // The end of a process, of which the others tell nothing: the present if it runs, else the end of the job's command,
  // or its last sign of life.
  [[nodiscard]] commprof::Ticks of_alone(ProcessClock const& process) const;
  // The end of a process: a killed one ends with the last sign of life of all, if nothing else is known.
  [[nodiscard]] commprof::Ticks of(ProcessClock const& process) const;
  // False: the run lasted at least that long.
  [[nodiscard]] bool is_known() const { return command_ || has_aborted_ || some_run_; }
  [[nodiscard]] bool is_known(Life life) const { return life == Life::running || (is_known() && !some_run_); }
  [[nodiscard]] std::optional<CommandEnd> const& command() const { return command_; }

 private:
  OwnClocks now_ = OwnClocks::read();
  std::optional<CommandEnd> command_;
  double latest_day_s_ = 0;
  bool some_run_ = false, has_aborted_ = false;
};

}  // namespace mpisee_through
