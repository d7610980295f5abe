// Compares groups of runs: what became faster, and what slower.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"

namespace mpisee_through {

// A quantity over the runs of one group.
struct Side : Distribution {
  std::size_t runs = 0;  // runs that have it; the others count with 0
  std::vector<double> values{};
  std::optional<double> calls{}, bytes{};  // medians
};

// Calls for which the MPI used another algorithm, and which one; several are joined by " and ".
struct OtherAlgorithm {
  SizeBin sizes;  // the bounds of the calls' sizes
  std::string before, after;
};

// The difference of a quantity between the groups.
struct Change {
  std::string_view quantity;  // for programs
  std::string_view title{};   // for people, of an efficiency
  Side before, after;
  std::string communicator{}, operation{};
  std::optional<std::size_t> part{};  // of the run, from 1
  std::optional<OtherAlgorithm> algorithm{};
  // The p of this test, and adjusted for all tests of the family. Nothing unless both groups have several runs.
  std::optional<double> p{}, p_adjusted{};

  [[nodiscard]] double difference() const { return after.median - before.median; }
  // As a share of the time before; nothing if that is 0, or if it is no time.
  [[nodiscard]] std::optional<double> relative() const;
  [[nodiscard]] bool is_significant() const;  // true if there was no test
};

struct CommunicatorChange {
  Change all;
  std::vector<Change> operations;
};

struct Comparison {
  RunGroup before, after;
  // The wall time of the slowest rank, and the time in and outside MPI as means over the selected ranks; then
  // efficiencies, if all calls are selected.
  std::vector<Change> whole;
  std::vector<Change> over_time;                  // the share of MPI in each part of the run, if both sides tell it
  std::vector<CommunicatorChange> communicators;  // in the order wanted
  std::vector<Change> algorithms;                 // those that have changed, in the order wanted; not tested

  [[nodiscard]] Change const& wall() const { return whole.front(); }
  [[nodiscard]] std::span<Change const> efficiencies() const { return std::span(whole).subspan(3); }
  [[nodiscard]] bool is_tested() const { return before.size() > 1 && after.size() > 1; }
};

// What to sort by: the largest weight first; ties by name.
struct ChangeOrder {
  std::string_view name;
  double (*weight)(Change const&);
};
extern std::array<ChangeOrder, 7> const change_orders;

inline constexpr double significance_level = 0.05;

// Tests of communicators are adjusted for all communicators with calls, tests of operations for all operations on them.
[[nodiscard]] Comparison compare(Runs const& runs, RunGroup const& before, RunGroup const& after,
                                 ChangeOrder const& order);

}  // namespace mpisee_through
