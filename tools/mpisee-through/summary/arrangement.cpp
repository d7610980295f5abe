#include "summary/arrangement.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace mpisee_through {

bool name_less(std::string const& left, std::string const& right) {
  return ::strverscmp(left.c_str(), right.c_str()) < 0;
}

SortValues sort_values(Totals const& totals) {
  return {totals.time_s, static_cast<double>(totals.calls), static_cast<double>(totals.bytes())};
}

Weight weight_of(SortValues const& values, SortKey key) {
  double const time_s = values.time_s;
  switch (key) {
    case SortKey::time:
      break;
    case SortKey::calls:
      return {values.calls, time_s};
    case SortKey::volume:
      return {values.bytes.value_or(time_s), time_s};
    case SortKey::size:
      return {values.size.value_or(time_s), time_s};
    case SortKey::imbalance:
      return {values.imbalance.value_or(-1), time_s};
    case SortKey::name:
      return {0, 0};
  }
  return {time_s, 0};
}

namespace {

Weight weight_of(CommunicatorSummary const& one, SortKey key) {
  SortValues values = sort_values(one.totals);
  values.size = static_cast<double>(one.size);
  values.imbalance = one.imbalance();
  return weight_of(values, key);
}

std::vector<CommunicatorIndex> sorted(Summary const& summary, SortKey key) {
  struct Place {
    Weight weight;  // computed once: looking it up by index at each comparison would miss the cache
    CommunicatorIndex index;
  };
  std::vector<Place> places;
  places.reserve(summary.communicators.size());
  for (CommunicatorSummary const& one : summary.communicators)
    places.push_back({weight_of(one, key), static_cast<CommunicatorIndex>(places.size())});
  std::ranges::sort(places, [&](Place const& left, Place const& right) {
    if (left.weight != right.weight) return left.weight > right.weight;
    return name_less(summary.communicator(left.index).name, summary.communicator(right.index).name);
  });
  std::vector<CommunicatorIndex> order;
  order.reserve(places.size());
  for (Place const& place : places) order.push_back(place.index);
  return order;
}

// An operation with its weight, and with that of this cell of it.
struct CellLine {
  Weight weight, of_cell;
  Cell const* cell;
};

// The cells of one communicator in order. All cells of an operation have the weight of their sum, but for imbalances,
// which cannot be added up.
void add_lines(std::vector<CellLine>& lines, Summary const& summary, std::span<Cell const> cells, SortKey key) {
  auto const begin = static_cast<std::ptrdiff_t>(lines.size());
  for (std::size_t first = 0, end = 0; first < cells.size(); first = end) {
    Totals all;
    for (; end < cells.size() && cells[end].operation == cells[first].operation; ++end) all += cells[end].totals;
    for (Cell const& one : cells.subspan(first, end - first)) {
      SortValues values = sort_values(one.totals);
      values.imbalance = summary.communicator(one.communicator).imbalance(one);
      Weight const of_cell = weight_of(values, key);
      lines.push_back({key == SortKey::imbalance ? of_cell : weight_of(sort_values(all), key), of_cell, &one});
    }
  }
  std::ranges::sort(lines.begin() + begin, lines.end(), [&](CellLine const& left, CellLine const& right) {
    Cell const &one = *left.cell, &other = *right.cell;
    if (left.weight != right.weight) return left.weight > right.weight;
    if (one.operation != other.operation)
      return name_less(summary.name_of(one.operation), summary.name_of(other.operation));
    return std::tie(one.size, right.of_cell, one.site) < std::tie(other.size, left.of_cell, other.site);
  });
}

}  // namespace

std::vector<CommunicatorIndex> arrange_communicators(Summary const& summary, Arrangement const& arrangement,
                                                     Include include) {
  std::vector<CommunicatorIndex> order = sorted(summary, arrangement.key);
  std::erase_if(order, [&](CommunicatorIndex index) {
    CommunicatorSummary const& communicator = summary.communicator(index);
    return !communicator.selected || (include == Include::with_operations && !communicator.is_called);
  });
  if (arrangement.top && *arrangement.top < order.size()) order.resize(*arrangement.top);
  return order;
}

std::vector<Cell const*> arrange_operations(Summary const& summary, Cells const& cells,
                                            Arrangement const& arrangement) {
  std::vector<CellLine> lines;
  lines.reserve(cells.size());
  for (CommunicatorIndex const index : arrange_communicators(summary, {arrangement.key, {}}, Include::with_operations))
    add_lines(lines, summary, cells_on(cells, index), arrangement.key);
  std::vector<std::size_t> places(lines.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (arrangement.top && *arrangement.top < lines.size()) {
    // By size, the top ones are those of the first communicators.
    if (arrangement.key != SortKey::size)
      std::ranges::stable_sort(places, std::ranges::greater{}, [&](std::size_t place) { return lines[place].of_cell; });
    places.resize(*arrangement.top);
    std::ranges::sort(places);
  }
  std::vector<Cell const*> order;
  order.reserve(places.size());
  for (std::size_t const place : places) order.push_back(lines[place].cell);
  return order;
}

std::vector<RankSummary> arrange_ranks(Summary const& summary, Arrangement const& arrangement, RankOrder by) {
  std::vector<RankSummary> order = summary.ranks;
  auto const weight = [&](RankSummary const& one) {
    SortValues values = sort_values(one.totals);
    if (by == RankOrder::time_outside) values.time_s = summary.times_of(one.rank).outside_mpi_s();
    return weight_of(values, arrangement.key);
  };
  std::ranges::stable_sort(order, std::ranges::greater{}, weight);
  if (arrangement.top && *arrangement.top < order.size()) order.resize(*arrangement.top);
  return order;
}

std::vector<TreePlace> walk_trees(std::vector<std::size_t> const& order, std::vector<std::size_t> const& parents) {
  std::vector<std::vector<std::size_t>> children(parents.size() + 1);  // what is pushed last comes first
  // A file may contain a communicator that is its own ancestor, which has no root: it is shown as a root, at the end.
  std::vector<TreePlace> stack, walk;
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    children[parents[*place]].push_back(*place);
    stack.push_back({*place, 0});
  }
  for (std::size_t const root : children.back()) stack.push_back({root, 0});
  std::vector<bool> placed(parents.size());
  while (!stack.empty()) {
    TreePlace const one = stack.back();
    stack.pop_back();
    if (placed[one.place]) continue;
    placed[one.place] = true;
    walk.push_back(one);
    for (std::size_t const child : children[one.place]) stack.push_back({child, one.depth + 1});
  }
  return walk;
}

std::vector<TreeNode> arrange_tree(Summary const& summary, Arrangement const& arrangement) {
  std::size_t const count = summary.communicators.size();
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < count; ++i) by_name.emplace(summary.communicators[i].name, i);
  std::vector<std::size_t> parents;
  for (CommunicatorSummary const& one : summary.communicators) {
    auto const found = by_name.find(one.parent);
    parents.push_back(found == by_name.end() ? count : found->second);
  }
  std::vector<bool> selected(count), needed(count);
  for (CommunicatorIndex const shown : arrange_communicators(summary, arrangement, Include::all_selected)) {
    selected[static_cast<std::size_t>(shown)] = true;
    for (auto one = static_cast<std::size_t>(shown); one < count && !needed[one]; one = parents[one])
      needed[one] = true;
  }
  std::vector<std::size_t> order;
  for (CommunicatorIndex const index : sorted(summary, arrangement.key))
    if (auto const place = static_cast<std::size_t>(index); needed[place]) order.push_back(place);
  std::vector<TreeNode> tree;
  for (auto const& [place, depth] : walk_trees(order, parents))
    tree.push_back({static_cast<CommunicatorIndex>(place), depth, selected[place]});
  return tree;
}

std::vector<SiteLine> sum_up_sites(Summary const& summary, Arrangement const& arrangement) {
  auto const call_of = [](auto const& one) { return std::pair(one.operation, one.site); };
  std::vector<SiteLine> lines;
  for (Cell const& cell : summary.cells(by_op | by_site)) {
    lines.push_back(
        {cell.site, cell.operation, cell.totals, 0, {}, cell.spread != nullptr ? *cell.spread : RankSpread()});
  }
  std::vector<double> most_s(lines.size(), -1);
  for (Cell const& cell : summary.cells(by_comm | by_op | by_site)) {
    auto const line = std::ranges::lower_bound(lines, call_of(cell), {}, call_of);
    double& most = most_s[static_cast<std::size_t>(line - lines.begin())];
    ++line->communicators;
    if (cell.totals.time_s <= most) continue;
    most = cell.totals.time_s;
    line->communicator = cell.communicator;
  }
  for (SiteLine& line : lines) {
    std::uint64_t const members = line.communicators == 1 ? summary.communicator(line.communicator).ranks : 0;
    line.ranks = std::max(members, line.spread.ranks());
  }
  std::ranges::sort(lines, {}, [&](SiteLine const& line) {
    SortValues values = sort_values(line.totals);
    values.imbalance = line.imbalance();
    auto const [amount, time_s] = weight_of(values, arrangement.key);
    return std::tuple(-amount, -time_s, summary.site(line.site), summary.name_of(line.operation));
  });
  if (arrangement.top && *arrangement.top < lines.size())
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*arrangement.top), lines.end());
  return lines;
}

}  // namespace mpisee_through
