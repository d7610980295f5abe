#include "summary/arrangement.hpp"

#include <algorithm>
#include <unordered_map>

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

// Whether left comes before right by the key alone.
bool comes_first(Totals const& left, Totals const& right, SortKey key) {
  switch (key) {
    case SortKey::calls:
      return left.calls > right.calls;
    case SortKey::volume:
      return left.bytes() > right.bytes();
    case SortKey::name:
      return false;
    case SortKey::size:  // an operation has none: by time
    case SortKey::time:
      break;
  }
  return left.time_s > right.time_s;
}

bool comes_first(CommunicatorSummary const& left, CommunicatorSummary const& right, SortKey key) {
  if (key == SortKey::size && left.size != right.size) return left.size > right.size;
  if (comes_first(left.totals, right.totals, key)) return true;
  if (comes_first(right.totals, left.totals, key)) return false;
  return name_less(left.name, right.name);
}

std::vector<CommunicatorIndex> sorted(Summary const& summary, SortKey key) {
  std::vector<CommunicatorIndex> order(summary.communicators.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<CommunicatorIndex>(i);
  std::ranges::sort(order, [&](CommunicatorIndex left, CommunicatorIndex right) {
    return comes_first(summary.communicator(left), summary.communicator(right), key);
  });
  return order;
}

}  // namespace

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
  return whole_left < whole_right;  // 1 and 01
}

std::vector<CommunicatorIndex> arrange_communicators(Summary const& summary, Arrangement const& arrangement,
                                                     Include include) {
  std::vector<CommunicatorIndex> order = sorted(summary, arrangement.key);
  std::erase_if(order, [&](CommunicatorIndex index) {
    CommunicatorSummary const& communicator = summary.communicator(index);
    return !communicator.selected || (include == Include::with_operations && communicator.operations.empty());
  });
  if (arrangement.top && *arrangement.top < order.size()) order.resize(*arrangement.top);
  return order;
}

std::vector<OperationSummary const*> arrange_operations(Summary const& summary, CommunicatorSummary const& communicator,
                                                        SortKey key) {
  std::unordered_map<OperationIndex, Totals> totals;  // over sizes
  std::vector<OperationSummary const*> order;
  for (OperationSummary const& operation : communicator.operations) {
    totals[operation.operation] += operation.totals;
    order.push_back(&operation);
  }
  std::ranges::sort(order, [&](OperationSummary const* left, OperationSummary const* right) {
    if (left->operation == right->operation) {
      if (left->size != right->size) return left->size < right->size;
      if (comes_first(left->totals, right->totals, key)) return true;
      if (comes_first(right->totals, left->totals, key) || !left->site || !right->site) return false;
      return summary.site(*left->site) < summary.site(*right->site);
    }
    Totals const& left_totals = totals.at(left->operation);
    Totals const& right_totals = totals.at(right->operation);
    if (comes_first(left_totals, right_totals, key)) return true;
    if (comes_first(right_totals, left_totals, key)) return false;
    return name_less(summary.name_of(left->operation), summary.name_of(right->operation));
  });
  return order;
}

std::vector<RankSummary> arrange_ranks(Summary const& summary, Arrangement const& arrangement) {
  std::vector<RankSummary> order = summary.ranks;
  std::ranges::stable_sort(order, [&](RankSummary const& left, RankSummary const& right) {
    return comes_first(left.totals, right.totals, arrangement.key);
  });
  if (arrangement.top && *arrangement.top < order.size()) order.resize(*arrangement.top);
  return order;
}

namespace {

// The parent of each communicator, where the profile has it.
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
  // A communicator that is its own ancestor has no root. No program makes one, but a file may have one.
  for (CommunicatorIndex const index : order) {
    if (needed[place(index)] && !placed[place(index)]) place_with_descendants(index);
  }
  return tree;
}

}  // namespace mpisee_through
