// The tables of the first page; text, CSV and JSON take columns and lines from here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/first_screen.hpp"
#include "summary/communicator_groups.hpp"
#include "views/columns.hpp"

namespace mpisee_through {

// A communicator or, in text and on the page, several.
struct ScreenRow {
  CommunicatorLine communicator;
  std::optional<double> wait_s;  // nothing if unknown
};
// wait_s, wait_share: waiting, and its share of the time in calls on the communicators.
[[nodiscard]] std::vector<table::Column<ScreenRow>> const& waits_columns();

// room: width of names in text. with_waits: whether text has a column for waiting.
struct ScreenTable {
  std::size_t room = 28;
  bool with_waits = false;
};
[[nodiscard]] table::View<ScreenRow> view_of_costs(ScreenTable const& layout = {});

// title: of the names of lines. titles: picks of efficiency_columns() and mpi_share.
[[nodiscard]] table::View<EfficiencyLine> view_of_efficiencies(std::string title, std::string_view titles);

[[nodiscard]] std::vector<ScreenRow> communicators_of(FirstScreen const& screen);
// The line of a group. It refers to the group.
[[nodiscard]] ScreenRow row_of(FirstScreen const& screen, CommunicatorGroup const& group);

}  // namespace mpisee_through
