// What became faster and what slower, from some runs to others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/efficiencies.hpp"
#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"

namespace mpisee_through {

// The medians of one group.
struct Side {
  std::size_t runs = 0;   // that have such calls; where there are none, all amounts are 0
  Distribution time_s{};  // over all runs of the group: one without such calls took no time for them
  double calls = 0;
  double bytes = 0;
};

// How an amount differs between the groups. p only if both have several runs.
struct Change {
  Side before;
  Side after;
  std::optional<double> p{};           // of the test by itself
  std::optional<double> p_adjusted{};  // for all that were tested with it

  [[nodiscard]] double seconds() const { return after.time_s.median - before.time_s.median; }
  // A part of the time before; nothing if there was none.
  [[nodiscard]] std::optional<double> relative() const;
  [[nodiscard]] bool is_significant() const;  // true if nothing was tested
};

struct OperationChange {
  std::string operation;
  Change change;
};

struct CommunicatorChange {
  std::string name;
  Change change;
  std::vector<OperationChange> operations;
};

struct Comparison {
  RunGroup before;
  RunGroup after;
  Change wall;                                    // of the slowest rank of each run
  Change mpi;                                     // mean over the selected ranks
  Change outside;                                 // of MPI, the same
  std::vector<EfficiencyChange> efficiencies;     // of the selected ranks; none if calls are selected
  std::vector<CommunicatorChange> communicators;  // in the order of the key
  std::vector<std::string> notices;               // what to bear in mind, each a sentence
  std::string caution;                            // the last of them: what chance may do; empty if p says it
};

enum class ChangeKey { change, relative, time, calls, volume, p, name };

inline constexpr double significance_level = 0.05;

// In the order of the key: what changed most is first, whichever way. p: the smallest first. Tests of communicators are
// adjusted for all communicators with calls, those of operations for all operations on them.
[[nodiscard]] Comparison compare(Runs const& runs, RunGroup const& before, RunGroup const& after, ChangeKey key);

}  // namespace mpisee_through
