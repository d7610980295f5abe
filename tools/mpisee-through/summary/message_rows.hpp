#pragma once

#include "summary/group_by.hpp"
#include "summary/row_filter.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

template <class Row>
[[nodiscard]] Amount amount_of(Row const& row) {
  return {row.messages, row.bytes};
}

// Groups the selected rows of peers.csv. Filter: RowFilter, or a class derived from it. Throws ProfileError; throws
// SelectionError for a pattern or rank that matches nothing.
template <class Filter, class... Groupings>
auto group_messages(Profile const& profile, Selection const& selection, Filter& filter, Groupings const&... groupings) {
  check_ranks("--from", selection.from, profile.run());
  check_ranks("--to", selection.to, profile.run());
  auto sums = group_by<PeerRow>(profile, filter, groupings...);
  filter.check(profile, "operation behind a message");
  return sums;
}

template <class... Groupings>
auto group_messages(Profile const& profile, Selection const& selection, Groupings const&... groupings) {
  RowFilter filter(profile, selection);
  return group_messages(profile, selection, filter, groupings...);
}

}  // namespace mpisee_through
