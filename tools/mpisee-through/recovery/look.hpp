// Finds the current calls of the processes of a run. Reads their spool files while they run or after they were killed;
// neither stops a process nor changes a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recovery/job_windows.hpp"
#include "recovery/process_life.hpp"
#include "recovery/recovered_message_waits.hpp"
#include "recovery/run_end.hpp"
#include "recovery/spool_file.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {

struct Look {
  Job job;
  std::string run_json;               // as written at the start
  std::vector<std::string> problems;  // files that cannot be read, or not completely

  struct Counts {
    std::uint64_t calls = 0, bytes = 0;
  };
  std::map<std::string, Counts> counts;  // so far, by communicator
  std::vector<JobWindow> windows;        // so far; empty if unknown
  std::vector<MessageWaitSum> waits;     // so far; empty if unknown; only of look_at_spool()
  std::chrono::steady_clock::time_point when;
};

// Builds a Look from the spool files of the processes.
class LookBuilder {
 public:
  // before: an earlier look at this run, which shows what has changed since; may be null.
  LookBuilder(std::filesystem::path const& spool, Look const* before) : before_(before) {
    look_.when = std::chrono::steady_clock::now();
    end_.read(spool);
  }

  // is_moving: the current call changed between two readings. is_torn: it changed again between two further readings,
  // so it is unknown.
  struct Steadiness {
    bool is_moving = false, is_torn = false;
  };
  // Returns whether the process runs. Throws ProfileError if the file belongs to another run.
  Life take(SpoolFile const& file, std::filesystem::path const& path, Steadiness steadiness);
  void add_problem(std::string problem) { look_.problems.push_back(std::move(problem)); }
  [[nodiscard]] bool is_empty() const { return look_.job.processes.empty(); }

  [[nodiscard]] Look finish();
  [[nodiscard]] RunEnd const& end() const { return end_; }

 private:
  struct Stamped {
    commprof::spool::Owner owner;
    ProcessClock clock;
  };
  void take_communicators(SpoolFile const& file, std::vector<CommId>& ids);
  void count(SpoolFile const& file, std::vector<CommId> const& ids, ProcessState& process);
  void tell_times();

  Look const* before_;
  Look look_;
  std::map<std::string, CommId> ids_;
  std::map<std::string, HostClock> hosts_;
  std::vector<Stamped> stamped_;  // one for each process
  std::uint64_t run_ = 0;
  RunEnd end_;
  JobWindows windows_;
};

// Looks at all files of a spool. Throws ProfileError if no file is usable.
[[nodiscard]] Look look_at_spool(std::filesystem::path const& spool, std::filesystem::path const& shown,
                                 Look const* before);

// The communicator of a current call, from its handle; nothing if it is unknown.
[[nodiscard]] std::optional<commprof::CommIndex> communicator_of(SpoolFile const& file, std::uint64_t given);

// Extends the file to the end of its process, and adds a record for each call that had not ended. Returns their time.
commprof::Ticks count_unfinished_calls(SpoolFile& file, ProcessState const& process);

}  // namespace mpisee_through
