// Compares groups of runs: what became faster, and what slower.
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

// Medians over the runs of one group.
struct Side {
  std::size_t runs = 0;   // runs with these calls; if 0, all amounts are 0
  Distribution time_s{};  // over all runs of the group; a run without these calls counts with 0 s
  double calls = 0;
  double bytes = 0;
};

// The difference of an amount between the groups. p needs several runs in both.
struct Change {
  Side before;
  Side after;
  std::optional<double> p{};           // of the single test
  std::optional<double> p_adjusted{};  // adjusted for all tests of the family

  [[nodiscard]] double seconds() const { return after.time_s.median - before.time_s.median; }
  // As a share of the time before; nothing if that is 0.
  [[nodiscard]] std::optional<double> relative() const;
  [[nodiscard]] bool is_significant() const;  // true if there was no test
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

// Calls of a collective operation for which the MPI used another algorithm than before.
struct AlgorithmChange {
  std::string communicator, operation;
  SizeBin sizes;              // bounds of the calls' sizes
  std::string before, after;  // several are joined by " and "
  Change change;              // of the time of these calls; not tested
};

struct Comparison {
  RunGroup before;
  RunGroup after;
  Change wall;                                    // of the slowest rank of each run
  Change mpi;                                     // mean over the selected ranks
  Change outside;                                 // outside MPI: mean over the selected ranks
  std::vector<EfficiencyChange> efficiencies;     // of the selected ranks; empty if calls are selected
  std::vector<CommunicatorChange> communicators;  // in the order of the key
  std::vector<AlgorithmChange> algorithms;        // in the order of the key; empty if both sides have the same
  std::vector<std::string> notices;               // warnings, a sentence each
  std::string caution;                            // the last notice: the role of chance; empty if p states it
};

enum class ChangeKey { change, relative, time, calls, volume, p, name };

inline constexpr double significance_level = 0.05;

// Sorts by the key: the largest change first, in either direction; p ascending. Tests of communicators are adjusted for
// all communicators with calls, tests of operations for all operations on them.
[[nodiscard]] Comparison compare(Runs const& runs, RunGroup const& before, RunGroup const& after, ChangeKey key);

}  // namespace mpisee_through
