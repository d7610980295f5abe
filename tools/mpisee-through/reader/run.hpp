// The facts of a run, from run.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/profile_error.hpp"
#include "files/rank_set.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

struct MessageTotal {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// All text is visible text. Members are empty if the profile leaves them out; those marked as required are always
// there.
struct Run {
  std::string program;  // required
  std::vector<std::string> arguments;
  std::string mpi_library;
  std::string mpi_version;
  std::uint32_t ranks = 0;  // required, at least 1
  std::string start;        // UTC, ISO 8601
  std::string profiler_version;
  std::map<std::string, std::string, std::less<>> options;  // the profiler's effective options, by environment variable
  double wall_s = 0;                                        // required; the longest of all ranks
  std::string parent_program, parent_comm;                  // of a spawned world, if known
  // Events that were lost, and that were counted together for lack of room: kind and number, in the order of the file.
  std::vector<std::pair<std::string, std::uint64_t>> dropped;
  std::vector<std::pair<std::string, std::uint64_t>> folded;
  std::vector<std::pair<std::string, std::uint64_t>>
      not_sampled;  // calls that are missing from waits.csv: kind and number
  std::vector<std::string>
      not_seen;  // functions of a newer MPI that the program calls without the profiler's knowledge
  // What the user excluded: everything outside `only`, unless that is empty, and everything in `without`.
  struct LeftOut {
    std::vector<std::string> only, without;
  };
  std::optional<LeftOut> operations_left_out, communicators_left_out;
  std::map<std::string, std::uint64_t, std::less<>> rows_of_file;
  // The ranks that have rows of their own, if only sums cover all ranks (COMMPROF_DETAIL).
  std::optional<RankSet> detailed_ranks;
  // The messages of all ranks, counted when the profile was written.
  struct Messages {
    struct Pair {
      WorldRank from;
      WorldRank to;
      MessageTotal amount;
      std::uint64_t others;  // number of other pairs with about as many bytes
    };
    MessageTotal total;
    MessageTotal of_program;  // classes p2p and rma
    MessageTotal network;     // class network, which is not in the total
    bool is_busiest_known = false;
    std::optional<Pair> busiest{};  // nothing if no message had data
  };
  std::optional<Messages> messages;
  // The windows of time in when.csv.
  struct Windows {
    double width_s;
    bool has_common_clock;  // otherwise times are since each rank's own MPI_Init
  };
  std::optional<Windows> windows;
  // Facts of a profile that was recovered from the spool files of killed processes.
  struct Unfinished {
    RankSet missing;           // ranks without a usable spool file
    std::string on_nodes;      // where nodes may still have their spool files; empty if nowhere
    double last_record_s = 0;  // since the start
    // The first call of MPI_Abort.
    struct Aborted {
      std::int64_t rank = 0;
      std::int64_t code = 0;
    };
    std::optional<Aborted> aborted;
    bool is_end_known = false;                   // false: the run lasted at least its wall time
    std::optional<std::int64_t> interrupted_by;  // the signal that ended the job's command, if its launcher saw it
    std::optional<std::int64_t> exit_code;       // of the job's command
    double in_calls_s = 0;                       // in calls that did not end, of all threads
    // How the run ended, in words.
    [[nodiscard]] std::string how() const;
    // Whether ranks wait for each other in vain.
    [[nodiscard]] bool is_stuck() const { return state && (state->stuck_ranks > 0 || !state->mismatches.empty()); }
    RankSet queues_unknown;  // ranks whose waiting for processors is not known
    std::vector<std::string> problems;
    std::optional<Situation> state;  // what the processes were doing
  };
  std::optional<Unfinished> unfinished;

  [[nodiscard]] bool lacks_ranks() const { return unfinished && !unfinished->missing.empty(); }
  // Whether the run lasted at least its wall time.
  [[nodiscard]] bool is_longer() const { return unfinished && !unfinished->is_end_known; }
  // Whether shares of the whole run say how well it works: it has ended as it should, or was ended amidst its work, so
  // that next to no time is in calls that did not end.
  [[nodiscard]] bool has_efficiencies() const;
  [[nodiscard]] bool has_only_sums() const { return detailed_ranks.has_value(); }
  // Whether no call was counted, although nothing was excluded.
  [[nodiscard]] bool has_no_calls() const;
};

// The command line of the run, quoted for a shell.
[[nodiscard]] std::string command_of(Run const& run);

// Reads run.json. Throws ProfileError, also if its schema is newer than ours.
[[nodiscard]] Run read_run(FileToRead const& run_json);

}  // namespace mpisee_through
