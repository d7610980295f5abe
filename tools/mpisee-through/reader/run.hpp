// The facts of a run: run.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/rank_set.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

struct MessageTotal {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// All text is visible text. What a profile leaves out stays empty, except what is marked as required.
struct Run {
  std::string program;  // required
  std::vector<std::string> arguments;
  std::string mpi_library;
  std::string mpi_version;
  std::uint32_t ranks = 0;  // required, at least 1
  std::string start;        // UTC, ISO 8601
  std::string profiler_version;
  std::map<std::string, std::string, std::less<>> options;  // of the profiler, in force, by their variables
  double wall_s = 0;                                        // required; the longest of all ranks
  std::string parent_program, parent_comm;                  // of a world that was spawned, if that is known
  // What was lost, and what was counted together for want of space: kind and number, in the order of the file.
  std::vector<std::pair<std::string, std::uint64_t>> dropped;
  std::vector<std::pair<std::string, std::uint64_t>> folded;
  std::vector<std::pair<std::string, std::uint64_t>>
      not_sampled;                    // of collectives, which waits.csv leaves out: the same
  std::vector<std::string> not_seen;  // functions of a newer MPI that the program calls and the profiler does not know
  // What the user wanted nothing of: all but what is in only, unless that is empty, and what is in without.
  struct LeftOut {
    std::vector<std::string> only, without;
  };
  std::optional<LeftOut> operations_left_out, communicators_left_out;
  std::map<std::string, std::uint64_t, std::less<>> rows_of_file;
  // Of a profile in which only sums are whole (COMMPROF_DETAIL): the ranks that have rows of their own.
  std::optional<RankSet> detailed_ranks;
  // The messages of all ranks, counted when the profile was written.
  struct Messages {
    struct Pair {
      WorldRank from;
      WorldRank to;
      MessageTotal amount;
      std::uint64_t others;  // other pairs with about as many bytes
    };
    // Bytes between hosts, of the classes p2p and rma: as they were, and with other placements.
    struct Across {
      std::uint64_t as_placed = 0;
      std::uint64_t in_blocks = 0;
      std::uint64_t in_turn = 0;
    };
    MessageTotal total;
    MessageTotal of_program;  // of the classes p2p and rma
    bool is_busiest_known = false;
    std::optional<Pair> busiest{};  // nothing: no message had data
    std::optional<Across> across_hosts{};
  };
  std::optional<Messages> messages;
  // Of a profile that was recovered from what killed processes left.
  struct Unfinished {
    RankSet missing;           // ranks of which there is nothing
    std::string on_nodes;      // where the nodes may have their spool files; empty if nowhere
    double last_record_s = 0;  // after the start
    std::vector<std::string> problems;
    std::optional<Situation> state;  // what processes were in
  };
  std::optional<Unfinished> unfinished;

  [[nodiscard]] bool lacks_ranks() const { return unfinished && !unfinished->missing.empty(); }
  [[nodiscard]] bool has_only_sums() const { return detailed_ranks.has_value(); }
  // Whether no call was counted at all, though none was left out.
  [[nodiscard]] bool has_no_calls() const;
};

}  // namespace mpisee_through
