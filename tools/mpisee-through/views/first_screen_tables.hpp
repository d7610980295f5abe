// The tables of the first page; text, CSV and JSON take columns and lines from here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "findings/first_screen.hpp"
#include "summary/communicator_groups.hpp"
#include "views/columns.hpp"

namespace mpisee_through {

// A communicator or, in text, a group of them.
struct ScreenRow {
  CommunicatorLine communicator;
  std::optional<Waiting> waiting;
};
// room: width of names in text. with_waits: whether text has a column for waiting.
struct ScreenTable {
  std::size_t room = 28;
  bool with_waits = false;
};
[[nodiscard]] table::View<ScreenRow> view_of_costs(ScreenTable const& layout = {});

[[nodiscard]] std::vector<ScreenRow> communicators_of(FirstScreen const& screen);
// The line of a group. It refers to the group.
[[nodiscard]] ScreenRow row_of(FirstScreen const& screen, CommunicatorGroup const& group);

}  // namespace mpisee_through
