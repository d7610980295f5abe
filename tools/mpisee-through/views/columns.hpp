// Columns shared by several views. Each is declared for the part of a line that it needs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "summary/summary.hpp"
#include "table/view.hpp"

namespace mpisee_through {

// calls, bytes_sent, bytes_received, bytes, time_s, mpi_share, wall_share, time_mean_s.
struct CallCosts {
  Summary const* summary;
  Totals const* totals;
};
[[nodiscard]] std::vector<table::Column<CallCosts>> const& cost_columns();

// site, function, file, line; at: all of these for people.
struct SiteRef {
  Summary const* summary;
  CallSiteIndex site;
};
[[nodiscard]] std::vector<table::Column<SiteRef>> const& site_columns();

// parallel_efficiency, load_balance, communication_efficiency, serialisation_efficiency, transfer_efficiency: the last
// two are estimates; useful_mean_s, useful_max_s, wall_max_s.
[[nodiscard]] std::vector<table::Column<Efficiency>> const& efficiency_columns();

// A communicator, or several that one call site created; the first one gives the name.
struct CommunicatorLine {
  Summary const* summary;
  CommunicatorSummary const* one;
  Totals const* totals;   // of all of them together
  std::string group{};    // name of several communicators; empty for one
  std::size_t depth = 0;  // in the tree
  bool selected = true;   // false: an ancestor of a selected one, shown without numbers

  [[nodiscard]] std::string const& name() const { return group.empty() ? one->name : group; }
  [[nodiscard]] std::optional<CallCosts> costs() const {
    return selected ? std::optional(CallCosts{summary, totals}) : std::nullopt;
  }
};
// comm, parent, depth, created_by, created_at, size, members, topology, reorder, user_name, freed, instances, ranks,
// rank_mean_s, rank_min_s, rank_max_s, imbalance; made_by: origin and present state, for people; and cost_columns().
[[nodiscard]] std::vector<table::Column<CommunicatorLine>> const& communicator_columns();

// The columns of --tree.
[[nodiscard]] table::View<CommunicatorLine> view_of_tree();

// For add_columns(): the part is the whole line.
template <class Line>
std::optional<Line> itself(Line const& line) {
  return line;
}

}  // namespace mpisee_through
