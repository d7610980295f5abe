// Columns shared by several views. Each is declared for the part of a line that it needs; a view gives it a title.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "findings/first_screen.hpp"
#include "summary/summary.hpp"
#include "table/view.hpp"

namespace mpisee_through {

struct CallCosts {
  Summary const* summary;
  Totals const* totals;
};
// volume: bytes sent and received, for people. time_mean_s: of a call.
struct CostColumns {
  table::Column<CallCosts> calls, bytes_sent, bytes_received, volume, time_s, mpi_share, wall_share, time_mean_s;
};
[[nodiscard]] CostColumns const& cost_columns();
// Of a line with totals.
template <class Line>
[[nodiscard]] auto costs_of(Summary const& summary) {
  return [&summary](Line const& line) { return CallCosts{&summary, &line.totals}; };
}

struct SiteRef {
  Summary const* summary;
  CallSiteIndex site;
};
// at: all of the others for people.
struct SiteColumns {
  table::Column<SiteRef> site, function, file, line, at;
};
[[nodiscard]] SiteColumns const& site_columns();

// serialisation and transfer are estimates.
struct EfficiencyColumns {
  table::Column<Efficiency> parallel, load_balance, processors, communication, serialisation, transfer, useful_mean_s,
      useful_max_s, wall_max_s;

  [[nodiscard]] std::vector<table::Column<Efficiency>> all() const {
    return {parallel, load_balance,  processors,   communication, serialisation,
            transfer, useful_mean_s, useful_max_s, wall_max_s};
  }
};
[[nodiscard]] EfficiencyColumns const& efficiency_columns();

// A communicator, or several that one call site created; the first one gives the name.
struct CommunicatorLine {
  Summary const* summary;
  CommunicatorSummary const* one;
  Totals totals;                             // of all of them together
  std::optional<double> wait_s{};            // nothing if unknown
  std::string group{};                       // name of several communicators; empty for one
  std::size_t depth = 0;                     // in the tree
  bool selected = true;                      // false: an ancestor of a selected one, shown without numbers
  std::vector<CommunicatorIndex> members{};  // of joined_by_maker()

  [[nodiscard]] std::string const& name() const { return group.empty() ? one->name : group; }
  [[nodiscard]] std::optional<CallCosts> costs() const {
    return selected ? std::optional(CallCosts{summary, &totals}) : std::nullopt;
  }
};
// name: with its indentation. made_by: origin and present state, for people. wait_share: of the time in calls.
struct CommunicatorColumns {
  table::Column<CommunicatorLine> comm, name, parent, depth, created_by, created_at, size, members, topology, reorder,
      user_name, freed, instances, ranks, rank_mean_s, rank_min_s, rank_max_s, imbalance, made_by, wait_s, wait_share;
};
[[nodiscard]] CommunicatorColumns const& communicator_columns();

// A line for each communicator, or for all of one size that one call site has created, if they are many; in the order
// of their first ones.
[[nodiscard]] std::vector<CommunicatorLine> joined_by_maker(Summary const& summary,
                                                            std::vector<CommunicatorIndex> const& communicators);

// A table with a line for each communicator: for programs all columns; for people their costs and who made them.
[[nodiscard]] table::View<CommunicatorLine> view_of_communicators();

}  // namespace mpisee_through
