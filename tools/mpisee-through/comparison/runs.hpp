// Several runs side by side: what each communicator did in each of them, joined by name. Names are the same in every
// run of a program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "summary/overview.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// Calls of one run.
struct Effort {
  double time_s = 0;       // mean over the ranks of the communicator
  double calls = 0;        // of all ranks
  double bytes = 0;        // sent and received, of all ranks
  double rank_time_s = 0;  // summed over all ranks
};

// Nothing for a run without such calls. As many as there are runs.
using EffortOfRuns = std::vector<std::optional<Effort>>;

struct CommunicatorInRuns {
  std::uint64_t size = 0;                          // in the last run that has it
  EffortOfRuns all;                                // its selected operations together
  std::map<std::string, EffortOfRuns> operations;  // by name
};

struct Runs {
  std::vector<Overview> heads;   // with waiting in their efficiencies, where it is known
  bool has_efficiencies = true;  // false if calls are selected: efficiencies need all calls of a rank
  std::map<std::string, CommunicatorInRuns> communicators;  // by name; those with calls in any of the runs
};

// Indices into Runs::heads.
using RunGroup = std::vector<std::size_t>;

// Reads one profile after the other. Throws ProfileError; SelectionError if a pattern matches nothing in any of them,
// or a region or rank is not in each.
[[nodiscard]] Runs read_runs(std::vector<std::filesystem::path> const& profiles, Selection const& selection);

}  // namespace mpisee_through
