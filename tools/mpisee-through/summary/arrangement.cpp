#include "summary/arrangement.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "reader/parallel.hpp"

namespace mpisee_through {
namespace {

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// Removes a number from the front of the text. Returns it without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  std::string_view number = text.substr(0, length);
  text.remove_prefix(length);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

Weight weight_of(Totals const& totals, std::optional<double> imbalance, SortKey key) {
  SortValues values = sort_values(totals);
  values.imbalance = imbalance;
  return weight_of(values, key);
}

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

}  // namespace

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

bool name_less(std::string_view left, std::string_view right) {
  std::string_view const whole_left = left;
  std::string_view const whole_right = right;
  while (!left.empty() && !right.empty()) {
    if (is_digit(left.front()) && is_digit(right.front())) {
      std::string_view const left_number = take_number(left);
      std::string_view const right_number = take_number(right);
      if (left_number.size() != right_number.size()) return left_number.size() < right_number.size();
      if (left_number != right_number) return left_number < right_number;
    } else {
      if (left.front() != right.front()) return left.front() < right.front();
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  if (left.empty() != right.empty()) return left.empty();
  return whole_left < whole_right;  // "01" and "1" are equal as numbers
}

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

namespace {

// Sorts the cells of one communicator. All cells of an operation have the weight of their sum, but for imbalances,
// which cannot be added up.
void sort_operations(Summary const& summary, std::span<Cell const*> cells, SortKey key) {
  struct Line {
    Weight weight, of_cell;
    Cell const* cell;
  };
  std::vector<Line> lines;
  CommunicatorSummary const& communicator = summary.communicator(cells.front()->communicator);
  for (std::size_t first = 0, end = 0; first < cells.size(); first = end) {
    Totals all;
    for (; end < cells.size() && cells[end]->operation == cells[first]->operation; ++end) all += cells[end]->totals;
    for (Cell const* const one : cells.subspan(first, end - first)) {
      Weight const of_cell = weight_of(one->totals, communicator.imbalance(*one), key);
      lines.push_back({key == SortKey::imbalance ? of_cell : weight_of(all, {}, key), of_cell, one});
    }
  }
  std::ranges::sort(lines, [&](Line const& left, Line const& right) {
    if (left.weight != right.weight) return left.weight > right.weight;
    if (left.cell->operation != right.cell->operation)
      return name_less(summary.name_of(left.cell->operation), summary.name_of(right.cell->operation));
    if (left.cell->size != right.cell->size) return left.cell->size < right.cell->size;
    if (left.of_cell != right.of_cell) return left.of_cell > right.of_cell;
    return left.cell->site < right.cell->site;
  });
  for (std::size_t i = 0; i < lines.size(); ++i) cells[i] = lines[i].cell;
}

}  // namespace

std::vector<Cell const*> arrange_operations(Summary const& summary, Cells const& cells,
                                            Arrangement const& arrangement) {
  SortKey const key = arrangement.key;
  std::vector<Cell const*> order;
  order.reserve(cells.size());
  std::vector<std::size_t> ends;
  for (CommunicatorIndex const index : arrange_communicators(summary, {key, {}}, Include::with_operations)) {
    for (Cell const& one : cells_on(cells, index)) order.push_back(&one);
    ends.push_back(order.size());
  }
  run_for_each(ends.size(), [&](std::size_t i) {
    std::size_t const begin = i == 0 ? 0 : ends[i - 1];
    if (begin < ends[i]) sort_operations(summary, std::span(order).subspan(begin, ends[i] - begin), key);
  });
  if (!arrangement.top || *arrangement.top >= order.size()) return order;

  // With these keys, the top ones are those of the first communicators.
  bool const is_ordered = key == SortKey::size || key == SortKey::name;
  std::vector<std::pair<Weight, std::size_t>> places;
  for (Cell const* const one : order) {
    auto const imbalance = summary.communicator(one->communicator).imbalance(*one);
    places.emplace_back(is_ordered ? Weight() : weight_of(one->totals, imbalance, key), places.size());
  }
  std::ranges::stable_sort(places, std::ranges::greater{}, &std::pair<Weight, std::size_t>::first);
  places.resize(*arrangement.top);
  std::ranges::sort(places, {}, &std::pair<Weight, std::size_t>::second);
  std::vector<Cell const*> top;
  for (auto const& [weight, place] : places) top.push_back(order[place]);
  return top;
}

std::vector<RankSummary> arrange_ranks(Summary const& summary, Arrangement const& arrangement, RankOrder by) {
  std::vector<RankSummary> order = summary.ranks;
  auto const weight = [&](RankSummary const& one) {
    SortValues values = sort_values(one.totals);
    if (by == RankOrder::time_outside)
      values.time_s = summary.times_of_rank[static_cast<std::size_t>(one.rank)].useful_s();
    return weight_of(values, arrangement.key);
  };
  std::ranges::stable_sort(order, std::ranges::greater{}, weight);
  if (arrangement.top && *arrangement.top < order.size()) order.resize(*arrangement.top);
  return order;
}

namespace {

// The parent of each communicator, if the profile has it.
std::vector<std::optional<CommunicatorIndex>> parents_of(Summary const& summary) {
  std::size_t const count = summary.communicators.size();
  std::unordered_map<std::string_view, CommunicatorIndex> by_name;
  for (std::size_t i = 0; i < count; ++i) {
    by_name.emplace(summary.communicators[i].name, static_cast<CommunicatorIndex>(i));
  }
  std::vector<std::optional<CommunicatorIndex>> parents(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const found = by_name.find(summary.communicators[i].parent);
    if (found != by_name.end()) parents[i] = found->second;
  }
  return parents;
}

}  // namespace

std::vector<TreeNode> arrange_tree(Summary const& summary, Arrangement const& arrangement) {
  std::size_t const count = summary.communicators.size();
  auto const place = [](CommunicatorIndex index) { return static_cast<std::size_t>(index); };
  std::vector<std::optional<CommunicatorIndex>> const parent = parents_of(summary);

  std::vector<bool> selected(count);
  std::vector<bool> needed(count);
  for (CommunicatorIndex const shown : arrange_communicators(summary, arrangement, Include::all_selected)) {
    selected[place(shown)] = true;
    std::optional<CommunicatorIndex> ancestor = shown;
    while (ancestor && !needed[place(*ancestor)]) {
      needed[place(*ancestor)] = true;
      ancestor = parent[place(*ancestor)];
    }
  }

  std::vector<std::vector<CommunicatorIndex>> children(count);
  std::vector<CommunicatorIndex> const order = sorted(summary, arrangement.key);
  for (CommunicatorIndex const index : order) {
    if (needed[place(index)] && parent[place(index)]) children[place(*parent[place(index)])].push_back(index);
  }

  std::vector<TreeNode> tree;
  std::vector<bool> placed(count);
  auto const place_with_descendants = [&](CommunicatorIndex root) {
    std::vector<TreeNode> stack{{root, 0, selected[place(root)]}};
    while (!stack.empty()) {
      TreeNode const node = stack.back();
      stack.pop_back();
      if (placed[place(node.communicator)]) continue;
      placed[place(node.communicator)] = true;
      tree.push_back(node);
      auto const& below = children[place(node.communicator)];
      for (auto child = below.rbegin(); child != below.rend(); ++child) {
        stack.push_back({*child, node.depth + 1, selected[place(*child)]});
      }
    }
  };
  for (CommunicatorIndex const index : order) {
    if (needed[place(index)] && !parent[place(index)]) place_with_descendants(index);
  }
  // A file may contain a communicator that is its own ancestor, which has no root: it is shown as a root.
  for (CommunicatorIndex const index : order) {
    if (needed[place(index)] && !placed[place(index)]) place_with_descendants(index);
  }
  return tree;
}

}  // namespace mpisee_through
