#include "summary/arrangement.hpp"

#include <algorithm>
#include <cstring>

namespace mpisee_through {

bool name_less(std::string const& left, std::string const& right) {
  return ::strverscmp(left.c_str(), right.c_str()) < 0;
}

SortValues sort_values(Totals const& totals) {
  return {totals.time_s, static_cast<double>(totals.calls), static_cast<double>(totals.bytes())};
}

Weight weight_of(SortValues const& values, SortKey key) {
  double const time_s = values.time_s;
  if (key == SortKey::name) return {0, 0};
  if (key == SortKey::calls) return {values.calls, time_s};
  if (key == SortKey::volume) return {values.bytes.value_or(time_s), time_s};
  if (key == SortKey::size) return {values.size.value_or(time_s), time_s};
  return {key == SortKey::imbalance ? values.imbalance.value_or(-1) : time_s, time_s};
}

namespace {

Weight weight_of(CommunicatorSummary const& one, SortKey key) {
  SortValues values = sort_values(one.totals);
  values.size = static_cast<double>(one.size);
  values.imbalance = one.imbalance();
  return weight_of(values, key);
}

}  // namespace

std::vector<CommunicatorIndex> arrange_communicators(Summary const& summary, Arrangement const& arrangement,
                                                     Include include) {
  struct Place {
    Weight weight;  // computed once: looking it up by index at each comparison would miss the cache
    CommunicatorIndex index;
  };
  std::vector<Place> places;
  for (CommunicatorSummary const& one : summary.communicators)
    if (include == Include::all || (one.selected && (include == Include::selected || one.is_called)))
      places.push_back(
          {weight_of(one, arrangement.key), static_cast<CommunicatorIndex>(&one - summary.communicators.data())});
  std::ranges::sort(places, [&](Place const& left, Place const& right) {
    if (left.weight != right.weight) return left.weight > right.weight;
    return name_less(summary.communicator(left.index).name, summary.communicator(right.index).name);
  });
  if (arrangement.top && *arrangement.top < places.size()) places.resize(*arrangement.top);
  std::vector<CommunicatorIndex> order;
  order.reserve(places.size());
  for (Place const& place : places) order.push_back(place.index);
  return order;
}

std::vector<TreeNode> walk_trees(std::vector<std::size_t> const& order, std::vector<std::size_t> const& parents,
                                 std::vector<bool> const& chosen) {
  std::vector<bool> waits(parents.size());  // for its place in the walk
  for (std::size_t one = 0; one < parents.size(); ++one)
    for (std::size_t at = one; chosen[one] && at < parents.size() && !waits[at]; at = parents[at]) waits[at] = true;
  std::vector<std::vector<std::size_t>> children(parents.size() + 1);  // what is pushed last comes first
  // A file may contain a communicator that is its own ancestor, which has no root: it is shown as a root, at the end.
  std::vector<TreeNode> stack, walk;
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    children[parents[*place]].push_back(*place);
    stack.push_back({*place, 0, chosen[*place]});
  }
  for (std::size_t const root : children.back()) stack.push_back({root, 0, chosen[root]});
  while (!stack.empty()) {
    TreeNode const one = stack.back();
    stack.pop_back();
    if (!waits[one.place]) continue;
    waits[one.place] = false;
    walk.push_back(one);
    for (std::size_t const child : children[one.place]) stack.push_back({child, one.depth + 1, chosen[child]});
  }
  return walk;
}

}  // namespace mpisee_through
