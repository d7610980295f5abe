// Finds the current calls of the processes of a run. Reads their spool files while they run or after they were killed;
// neither stops a process nor changes a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "recovery/joined.hpp"
#include "recovery/recovery.hpp"
#include "recovery/spool_file.hpp"
#include "spool/layout.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {

struct Look {
  Job job;
  std::vector<std::string> problems;  // files that cannot be read, or not completely

  struct Counts {
    std::uint64_t calls = 0, bytes = 0;
  };
  std::map<std::string, Counts> counts;  // so far, by communicator
  std::vector<JobWindow> windows;        // so far; empty if unknown
  std::vector<MessageWaitSum> waits;     // so far; empty if unknown
  std::chrono::steady_clock::time_point when;
};

// What a spool file tells of its process's time.
struct ProcessClock {
  // life: running only for a process of this host.
  ProcessClock(SpoolFile const& file, Life life);

  [[nodiscard]] double day_s(commprof::Ticks stamp) const;
  [[nodiscard]] commprof::Ticks at(double day_s) const;
  [[nodiscard]] double seconds(commprof::Ticks duration) const {
    return static_cast<double>(rate.to_ns(duration)) * 1e-9;
  }

  commprof::Ticks start, latest;  // latest: its last sign of life; the present if it runs
  double start_day_s;
  commprof::clock::Rate rate;
  bool has_aborted;
  Life life;
};

// The end of a run whose processes were killed, as far as it is known.
class RunEnd {
 public:
  // Reads what the launcher of the job wrote. spool: the directory of the spool files.
  explicit RunEnd(std::filesystem::path const& spool);
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
  std::optional<CommandEnd> command_;
  double latest_day_s_ = 0;
  bool some_run_ = false, has_aborted_ = false;
};

// Looks at all files of a spool, and keeps what recovery needs besides.
class SpoolLook {
 public:
  // before: an earlier look at this run, which shows what has changed since; may be null. Throws ProfileError if no
  // file is usable.
  SpoolLook(std::filesystem::path const& spool, Look const* before);

  Look look;
  RunEnd end;
  RecoveredWindows windows;
  RecoveredMessageWaits messages;

 private:
  // is_moving: the current call changed between two readings. is_torn: it changed again between two further readings,
  // so it is unknown.
  struct Steadiness {
    bool is_moving = false, is_torn = false;
  };
  static Steadiness steady(FileToRead const& path, SpoolFile& file);
  // Throws ProfileError if the file belongs to another run or rank.
  void take(SpoolFile const& file, std::int32_t rank, FileToRead const& path, Steadiness steadiness);
  void take_communicators(SpoolFile const& file, std::vector<CommId>& ids);
  void count(SpoolFile const& file, std::vector<CommId> const& ids, ProcessState& process);
  void tell_times(Look const* before);
  void complete_world();

  std::map<std::string, CommId> ids_;
  std::vector<ProcessClock> clocks_;  // one for each process
  std::uint64_t run_ = 0;
  std::int32_t ranks_ = 0;
  JobWindows job_windows_;
};

// The communicator of a current call, from its handle; nothing if it is unknown.
[[nodiscard]] std::optional<commprof::CommIndex> communicator_of(SpoolFile const& file, std::uint64_t given);

// Whether the process that writes a spool file runs: it has the file open or mapped for writing, whatever its host's
// name and pid are, as in containers. Unknown for a process on another host.
[[nodiscard]] Life life_of(commprof::spool::Owner const& owner, std::filesystem::path const& file);

}  // namespace mpisee_through
