// Compares runs: what became faster and what slower between two groups, what the wall time follows from run to run, and
// how well a program uses more ranks. A document for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"
#include "table/document.hpp"

namespace mpisee_through {

// A quantity over the runs of one group.
struct Side : Distribution {
  std::size_t runs = 0;  // runs that have it; the others count with 0
  std::vector<double> values{};
  std::optional<double> calls{}, bytes{};  // medians
};

// The difference of a quantity between the groups.
struct Change {
  std::string_view quantity;  // for programs
  std::string_view title{};   // for people, of an efficiency
  Side before, after;
  std::string communicator{}, operation{};
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
  std::vector<CommunicatorChange> communicators;  // in the order wanted

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

// Warnings about a comparison, a sentence each. The defects of runs: unfinished, or given more than once.
[[nodiscard]] std::vector<std::string> defects_of(Runs const& runs, RunGroup const& group);

// The defects and differences of runs that are compared: in ranks, program, arguments, hosts, MPI, waiting for
// processors, and the profiler's version and options.
[[nodiscard]] std::vector<std::string> notices_of(Runs const& runs, RunGroup const& before, RunGroup const& after);

// The differences between runs on different numbers of ranks: program, arguments, MPI, and the profiler's version and
// options.
[[nodiscard]] std::vector<std::string> differences_of(Runs const& runs, RunGroup const& fewest_ranks,
                                                      RunGroup const& others);

// A warning that differences may be chance, if a side has too few runs to test. Empty if there are enough, or if one
// run is on both sides.
[[nodiscard]] std::string caution_of(Runs const& runs, RunGroup const& before, RunGroup const& after);

struct ComparisonLayout {
  std::optional<std::size_t> top{};  // number of communicators to show
  bool totals_only = false;          // communicators without their operations
};

// All comparisons have the same group before. For programs a line for each change, also of the runs as a whole.
[[nodiscard]] Document comparisons(Runs const& runs, std::vector<Comparison> const& all,
                                   ComparisonLayout const& layout);

// Names a group by its profiles: "a", "a to c (3 runs)".
[[nodiscard]] std::string name_group(Runs const& runs, RunGroup const& group);
// The text in place of a table without lines.
[[nodiscard]] std::string_view why_no_calls(Runs const& runs);

// What grew by more than a limit, the most first, in words: "wall time 10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029;
// …". Empty if there is nothing.
struct Verdict {
  std::string slower, uncertain;  // uncertain: tested, but not significant
};
// limit: a share of the time before. Judges the wall time; of selected calls the communicators with calls before.
[[nodiscard]] Verdict judge(Comparison const& comparison, bool are_selected_calls, double limit);

// A communicator whose time may be correlated with a program's wall time, from run to run.
struct CorrelatedCommunicator {
  std::string name;
  std::uint64_t size = 0;
  std::size_t runs = 0;    // number of runs with calls on it; only these are correlated
  double time_mean_s = 0;  // mean over runs of the mean over its ranks
  std::optional<Correlation> pearson, spearman;
  std::optional<double> slope;  // seconds on it for each second of wall time
};

// What to sort by: the largest weight first; ties by name.
struct CorrelationOrder {
  std::string_view name;
  double (*weight)(CorrelatedCommunicator const&);
};
extern std::array<CorrelationOrder, 5> const correlation_orders;

// The first `top` communicators. The absolute coefficient counts; communicators without a coefficient come last.
[[nodiscard]] Document correlations(Runs const& runs, CorrelationOrder const& order, std::optional<std::size_t> top);

// Measures how well a program uses more ranks, from runs on different numbers of ranks, in the terms of the POP
// methodology. region: that was measured; empty for whole runs. top: number of communicators. A line for each number of
// ranks, and for each communicator on it; for people these are columns. Leaves out runs that lack ranks or took no
// time; throws SelectionError if the others do not have several numbers of ranks.
[[nodiscard]] Document scaling(Runs const& runs, std::string const& region, std::optional<std::size_t> top);

}  // namespace mpisee_through
