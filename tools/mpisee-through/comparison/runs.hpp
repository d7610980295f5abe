// Several runs side by side: the calls on each communicator in each run, joined by name. A communicator has the same
// name in every run of a program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "summary/overview.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// The calls of one run.
struct Effort {
  double rank_time_s = 0;  // summed over all ranks
  double calls = 0;        // over all ranks
  double bytes = 0;        // sent and received, over all ranks
  double time_s = 0;       // mean over the ranks of the communicator
};

// One for each run; nothing for a run without these calls.
using EffortOfRuns = std::vector<std::optional<Effort>>;

struct CommunicatorInRuns {
  std::vector<double> ranks;                       // in each run; of several communicators, the sum
  std::vector<std::uint64_t> sizes;                // in each run; of several communicators, the largest
  EffortOfRuns all;                                // all selected operations on it together
  std::map<std::string, EffortOfRuns> operations;  // by name
};

struct Runs {
  std::vector<Overview> heads;
  bool has_efficiencies = true;  // false if calls are selected: efficiencies need all calls of a rank
  // By name; only those with calls in some run. Those that one call has made are one, if there are several.
  std::map<std::string, CommunicatorInRuns> communicators;
};

// Indices into Runs::heads.
using RunGroup = std::vector<std::size_t>;

[[nodiscard]] RunGroup all_of(Runs const& runs);

// The values of some runs; nothing if a run has none.
template <class Value>
[[nodiscard]] std::optional<std::vector<double>> values_in(Runs const& runs, RunGroup const& group,
                                                           Value const& value) {
  std::vector<double> values;
  for (std::size_t const run : group) {
    std::optional<double> const one = value(runs.heads[run]);
    if (!one) return std::nullopt;
    values.push_back(*one);
  }
  return values;
}

struct RunsWanted {
  Selection selection{};
  // The path of a region that is measured, with all regions inside it, in place of whole runs; the wall time is then
  // that of the rank with the most.
  std::string region{};
};

// Reads the profiles one after the other. Throws ProfileError; throws SelectionError if a pattern matches nothing in
// any profile, or if a profile lacks a region or rank.
[[nodiscard]] Runs read_runs(std::vector<std::filesystem::path> const& profiles, RunsWanted const& wanted);

}  // namespace mpisee_through
