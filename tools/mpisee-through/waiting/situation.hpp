// What a job is in at one moment, as its reader wants to know it: groups of ranks that are in the same, whom they wait
// for, and circles of waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "waiting/job.hpp"

namespace mpisee_through {

// What all of some ranks are in.
struct RankGroup {
  enum class State : std::uint8_t {
    in_mpi,
    outside,   // of MPI: the place is that of the call before
    changing,  // from call to call, too fast to be looked at
    silent,    // the process has not said
  };

  std::vector<std::int32_t> ranks;  // ascending
  State state = State::silent;
  bool has_ended = false;  // the processes are gone, and others are not
  std::string operation;
  std::string communicator;  // empty where the operation has none
  std::string peer;          // "from 12", "to any"; empty where there is none, or ranks differ
  CodePlace place;
  double longest_s = 0, shortest_s = 0;
  bool is_at_least = false;  // so long, and longer

  // Processes that they wait for, ascending; is_certain: all of these are waited for, else some of them may be.
  std::vector<std::int32_t> waits_for;
  bool is_certain = false;
  bool waits_for_any = false;  // one of those is enough
  // What those of them are in that are not in this group, and whom those wait for, and so on to the end: ranks of one
  // group at a time.
  struct Link {
    std::vector<std::int32_t> ranks;
    std::size_t group = 0;  // of the situation; no_group: without a file
    std::string peer;
    static constexpr std::size_t no_group = SIZE_MAX;
  };
  std::vector<Link> chain;
  std::vector<std::string> pending;  // of calls that wait for requests: "2 Irecv from 3 on W"
};

// Processes that wait for each other, or for one that does nothing more: none of them can go on, unless a message is
// under way to it.
struct StuckRanks {
  struct Step {
    std::int32_t rank = 0;
    std::size_t group = 0;
    std::string peer;
  };
  std::vector<Step> steps;  // each waits for the next one
  bool is_circle = true;    // the last waits for the first; else the last is at its end
  bool is_lasting = false;  // nothing changed for so long that no message can be under way
  double seconds = 0;       // since the last of them came to it
  bool is_at_least = false;
};

struct Situation {
  // Of a circle: longer than messages take.
  static constexpr double lasting_s = 5;

  std::int32_t ranks = 0;
  std::size_t running = 0, ended = 0;  // processes with a file, as far as that is known
  std::string without_file;            // ranks, as ranges
  std::vector<RankGroup> groups;       // longest first
  std::vector<StuckRanks> stuck;
  std::size_t stuck_ranks = 0;  // that can never go on, the ones above included

  // Whether all that is known is how it was when processes ended.
  [[nodiscard]] bool is_over() const { return running == 0 && ended > 0; }
};

// before: the same job some time ago; nullptr: it was not looked at.
[[nodiscard]] Situation understand(Job const& job, Job const* before);

}  // namespace mpisee_through
