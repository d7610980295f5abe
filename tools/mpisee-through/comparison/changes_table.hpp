// Tables of changes: of communicators, of operations, and of whole runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/comparison_view.hpp"
#include "table/view.hpp"

namespace mpisee_through {

struct ChangeSide {
  std::size_t runs;
  Distribution values;
  std::optional<double> calls{}, bytes{};
};

struct ChangeRow {
  std::string profile_after, comm, op;
  ChangeSide before, after;
  std::optional<double> relative{}, p{}, p_adjusted{};
  std::string_view quantity = "rank_mean_s";
  std::optional<std::size_t> part{};  // of the run, from 1
  Change const* change = nullptr;     // null for efficiencies
  AlgorithmChange const* algorithm = nullptr;
};

[[nodiscard]] ChangeRow row_of(Change const& change, std::string profile_after, std::string comm, std::string op = "");
// Lines about whole runs: times, then efficiencies.
[[nodiscard]] std::vector<ChangeRow> rows_of_runs(Comparison const& comparison, std::string const& profile_after);
// Lines about the calls whose algorithm has changed.
[[nodiscard]] std::vector<ChangeRow> rows_of_algorithms(Comparison const& comparison, std::string const& profile_after);
// A line for each of the equal parts of the runs: its share of MPI. None unless both sides have windows of time.
[[nodiscard]] std::vector<ChangeRow> rows_over_time(Runs const& runs, Comparison const& comparison,
                                                    std::string const& profile_after);

// totals_only: no lines of calls. is_tested: people see p.
[[nodiscard]] table::View<ChangeRow> view_of_changes(bool totals_only, bool is_tested);

}  // namespace mpisee_through
