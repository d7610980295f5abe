// Interprets a job at one moment: groups of ranks in the same call, the processes that they wait for, and cycles of
// waits. As JSON, it is what mpisee-through now --json prints, and what run.json of a recovered profile has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waiting/job.hpp"

namespace mpisee_through {

using Json = nlohmann::ordered_json;  // members keep the order in which they were added

// Some ranks of one group.
inline constexpr std::size_t no_group = SIZE_MAX;
struct RanksOfGroup {
  std::vector<std::int32_t> ranks;  // ascending
  std::size_t group = 0;            // index in the situation; no_group if the ranks have no file
  std::string peer;                 // "with root 2"
};

// Ranks that are in the same state.
struct RankGroup {
  enum class State : std::uint8_t {
    in_mpi,
    outside,   // outside MPI; the place is that of the last call
    changing,  // changing calls faster than they can be read
    silent,    // the process has shown no call
  };

  std::vector<std::int32_t> ranks;  // ascending
  State state = State::silent;
  bool has_ended = false;  // the processes have ended, while others run
  std::string operation;
  std::string communicator;  // empty for operations without a communicator
  std::string peer;          // "from 12", "to any"; empty if there is none, or if ranks differ
  CodePlace place;
  double longest_s = 0, shortest_s = 0;
  bool is_at_least = false;  // the times are lower bounds

  // Processes that the group waits for, ascending. is_certain: it waits for all of them; otherwise perhaps for some.
  std::vector<std::int32_t> waits_for;
  bool is_certain = false;
  bool waits_for_any = false;  // any one of them is enough
  // The chain of waits that begins at this group: the awaited ranks outside this group, then the ranks that these wait
  // for, and so on. The ranks of a link belong to one group.
  std::vector<RanksOfGroup> chain;
  std::vector<std::string> pending;  // requests that the calls wait for: "2 Irecv from 3 on W"
};

// Processes that wait for each other, or for a finished process. They can never go on, unless a message is in transit.
struct StuckRanks {
  struct Step {
    std::int32_t rank = 0;
    std::size_t group = 0;
    std::string peer;
  };
  std::vector<Step> steps;  // each waits for the next one
  bool is_circle = true;    // the last one waits for the first; false: the last one is finished
  bool is_lasting = false;  // unchanged for so long that no message can be in transit
  double seconds = 0;       // since the last process entered its call
  bool is_at_least = false;
  // Threads of these processes that have not called MPI yet may call it, and so end the wait.
  bool unless_more_threads = false;
};

// Members of a communicator whose calls have the same number among its collective calls, but are of different
// operations, or have different roots: an error of the program.
struct Mismatch {
  std::string communicator;
  std::vector<RanksOfGroup> sides;  // in the order of their first ranks, whose groups they name
  double seconds = 0;               // since the last of these ranks entered its call
  bool is_at_least = false;
};

struct Situation {
  // The least time for is_lasting: longer than a message takes.
  static constexpr double lasting_s = 5;
  // Processes that were killed amidst their work may have seemed to be stuck for less time than this: a message was
  // under way between them, or one had just begun or ended a call.
  static constexpr double brief_s = 0.5;

  std::int32_t ranks = 0;
  std::size_t running = 0, ended = 0;  // processes with a file, if their state is known
  std::string without_file;            // ranks, as ranges
  std::vector<RankGroup> groups;       // longest first
  std::vector<Mismatch> mismatches;
  std::vector<StuckRanks> stuck;  // without circles of ranks whose calls do not match
  std::size_t stuck_ranks = 0;    // number of ranks that can never go on, including those in `stuck`
  std::string also_stuck;         // stuck ranks that are in neither list, as ranges; empty in older profiles

  // Whether all processes have ended: this is then the state in which they ended.
  [[nodiscard]] bool is_over() const { return running == 0 && ended > 0; }
};

// before: an earlier look at this job, or nullptr.
[[nodiscard]] Situation understand(Job const& job, Job const* before);

[[nodiscard]] std::string_view name_of(RankGroup::State state);

// Adds details of a place, such as its function.
using PlaceDetails = std::function<void(CodePlace const&, Json&)>;
[[nodiscard]] Json to_json(Situation const& situation, PlaceDetails const& details = {});
// Nothing if the JSON is not a situation.
[[nodiscard]] std::optional<Situation> situation_of(Json const& json);

}  // namespace mpisee_through
