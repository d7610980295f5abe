#pragma once

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "summary/group_by.hpp"
#include "summary/selection.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// Estimates which rank sends how much to which other one in collective calls, for profiles that lack the MPI's own
// messages. Calls among all spread a rank's bytes evenly over the others, except its own block of an Alltoall; calls
// with a root move them from or to it, except the root's own block. What the MPI really sends depends on its
// algorithms. Calls on folded communicators, on intercommunicators and on those with processes of other worlds are
// left out: the profile does not say which ranks were together in one, or in a group.
//
// Calls take() for each pair, size and region of each operation on each communicator. The text of rows is valid within
// the call. Throws ProfileError, and SelectionError for more pairs than can be estimated in seconds.
void estimate_collective_messages(Profile const& profile, std::function<void(PeerRow const&)> const& take);

// The bytes of all calls.
[[nodiscard]] std::uint64_t bytes_of_collectives(Summary const& summary);

template <class Row>
[[nodiscard]] Amount amount_of(Row const& row) {
  return {row.messages, row.bytes};
}

[[nodiscard]] inline bool has_estimate(Selection const& selection) {
  return std::ranges::count(selection.classes, TrafficClass::estimate) > 0;
}

// Adds the estimated messages of collectives to what group_by() has returned.
template <class Sums, class Filter, class... Groupings>
void add_estimate(Sums& sums, Profile const& profile, Filter& filter, Groupings... groupings) {
  estimate_collective_messages(profile, [&](PeerRow const& row) {
    if (filter.selects(row)) (groupings.add(row), ...);
  });
  if constexpr (sizeof...(Groupings) == 1) (sums.add(groupings.take()), ...);
  else std::apply([&](auto&... one) { (one.add(groupings.take()), ...); }, sums);
}

// Groups the selected rows of peers.csv, and the estimate for collectives if it is selected. Filter: RowFilter, or a
// class derived from it. Throws ProfileError; throws SelectionError for a pattern or rank that matches nothing.
template <class Filter, class... Groupings>
auto group_messages(Profile const& profile, Selection const& selection, Filter& filter, Groupings const&... groupings) {
  check_ranks("--from", selection.from, profile.run());
  check_ranks("--to", selection.to, profile.run());
  auto sums = group_by<PeerRow>(profile, filter, groupings...);
  if (has_estimate(selection)) add_estimate(sums, profile, filter, groupings...);
  filter.check(profile, "operation behind a message");
  return sums;
}

template <class... Groupings>
auto group_messages(Profile const& profile, Selection const& selection, Groupings const&... groupings) {
  RowFilter filter(profile, selection);
  return group_messages(profile, selection, filter, groupings...);
}

}  // namespace mpisee_through
