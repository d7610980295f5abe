// A job at one moment, interpreted: groups of ranks in the same call, the processes that they wait for, and circles of
// waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "waiting/job.hpp"

namespace mpisee_through {

// Ranks that are in the same state.
struct RankGroup {
  enum class State : std::uint8_t {
    in_mpi,
    outside,   // of MPI: the place is that of the call before
    changing,  // from call to call, faster than it can be read
    silent,    // the process has shown no call
  };

  std::vector<std::int32_t> ranks;  // ascending
  State state = State::silent;
  bool has_ended = false;  // the processes are gone, and others are not
  std::string operation;
  std::string communicator;  // empty where the operation has none
  std::string peer;          // "from 12", "to any"; empty where there is none, or ranks differ
  CodePlace place;
  double longest_s = 0, shortest_s = 0;
  bool is_at_least = false;  // the times are lower bounds

  // Processes that the group waits for, ascending. is_certain: it waits for all of them; otherwise perhaps for some.
  std::vector<std::int32_t> waits_for;
  bool is_certain = false;
  bool waits_for_any = false;  // one of those is enough
  // The chain of waits from this group on: the awaited ranks outside this group, then the ranks that these wait for,
  // and so on. Each link has ranks of one group.
  struct Link {
    std::vector<std::int32_t> ranks;
    std::size_t group = 0;  // of the situation; no_group: without a file
    std::string peer;
    static constexpr std::size_t no_group = SIZE_MAX;
  };
  std::vector<Link> chain;
  std::vector<std::string> pending;  // of calls that wait for requests: "2 Irecv from 3 on W"
};

// Processes that wait for each other, or for a process that is finished. None of them can go on unless a message is in
// transit to it.
struct StuckRanks {
  struct Step {
    std::int32_t rank = 0;
    std::size_t group = 0;
    std::string peer;
  };
  std::vector<Step> steps;  // each waits for the next one
  bool is_circle = true;    // the last waits for the first; else the last is at its end
  bool is_lasting = false;  // nothing has changed for so long that no message can be in transit
  double seconds = 0;       // since the last of them entered its call
  bool is_at_least = false;
};

struct Situation {
  // The least time for is_lasting: longer than a message takes.
  static constexpr double lasting_s = 5;

  std::int32_t ranks = 0;
  std::size_t running = 0, ended = 0;  // processes with a file, as far as that is known
  std::string without_file;            // ranks, as ranges
  std::vector<RankGroup> groups;       // longest first
  std::vector<StuckRanks> stuck;
  std::size_t stuck_ranks = 0;  // that can never go on, the ones above included

  // Whether no process runs any more: this is the state in which they ended.
  [[nodiscard]] bool is_over() const { return running == 0 && ended > 0; }
};

// before: the same job at an earlier look, or nullptr.
[[nodiscard]] Situation understand(Job const& job, Job const* before);

}  // namespace mpisee_through
