// A line for each communicator, below its parent or the costliest first, and the number of communicators of each size.
// For people, communicators that one call site creates repeatedly are one line.
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

CommunicatorIndex communicator_of(TreeNode const& node) { return static_cast<CommunicatorIndex>(node.place); }

// The selected communicators, each below its parent. Ancestors are included even if they are not selected.
std::vector<TreeNode> tree_of(Summary const& summary, SortKey key) {
  std::size_t const count = summary.communicators.size();
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < count; ++i) by_name.emplace(summary.communicators[i].name, i);
  std::vector<std::size_t> parents, order;
  std::vector<bool> selected;
  for (CommunicatorSummary const& one : summary.communicators) {
    auto const parent = by_name.find(one.parent);
    parents.push_back(parent == by_name.end() ? count : parent->second);
    selected.push_back(one.selected);
  }
  for (CommunicatorIndex const index : arrange_communicators(summary, {key, {}}, Include::all))
    order.push_back(static_cast<std::size_t>(index));
  return walk_trees(order, parents, selected);
}

// The line that replaces each node, by its first communicator. Only communicators of one parent without children are
// joined.
std::map<CommunicatorIndex, CommunicatorLine> lines_of(Summary const& summary, std::vector<TreeNode> const& tree) {
  std::map<std::size_t, std::vector<CommunicatorIndex>> leaves;  // by index of the parent
  std::vector<std::size_t> above;                                // indices of the current node and its ancestors
  for (std::size_t i = 0; i < tree.size(); ++i) {
    above.resize(tree[i].depth);
    bool const is_leaf = i + 1 == tree.size() || tree[i + 1].depth <= tree[i].depth;
    if (is_leaf && tree[i].is_chosen)
      leaves[above.empty() ? tree.size() : above.back()].push_back(communicator_of(tree[i]));
    above.push_back(i);
  }
  std::map<CommunicatorIndex, CommunicatorLine> lines;
  for (auto const& [parent, communicators] : leaves)
    for (CommunicatorLine const& line : joined_by_maker(summary, communicators))
      lines.emplace(line.members.front(), line);
  return lines;
}

std::vector<CommunicatorLine> lines_of_tree(Summary const& summary, std::vector<TreeNode> const& tree) {
  auto const replacing = lines_of(summary, tree);
  std::set<CommunicatorIndex> joined;
  for (auto const& [first, line] : replacing) joined.insert(line.members.begin() + 1, line.members.end());
  std::vector<CommunicatorLine> lines;
  for (TreeNode const& node : tree) {
    if (joined.contains(communicator_of(node))) continue;
    auto const line = replacing.find(communicator_of(node));
    CommunicatorSummary const& one = summary.communicator(communicator_of(node));
    lines.push_back(line == replacing.end() ? CommunicatorLine{&summary, &one, one.totals} : line->second);
    lines.back().depth = node.depth;
    lines.back().selected = node.is_chosen;
  }
  return lines;
}

// The costliest lines, without the tree; the rest is hidden.
table::Table top_of(Summary const& summary, Arrangement const& arrangement,
                    std::vector<CommunicatorIndex> const& communicators) {
  auto lines = joined_by_maker(summary, communicators);
  sort_by_amount(lines, arrangement.key, &CommunicatorLine::totals);
  std::size_t hidden = communicators.size();
  for (CommunicatorLine const& line : table::first_of(lines, arrangement.top)) hidden -= line.members.size();
  table::Table table = table_of(view_of_communicators(), std::move(lines), arrangement.top);
  table.hidden = hidden;
  return table;
}

table::Table table_for_programs(Summary const& summary, Arrangement const& arrangement,
                                std::vector<CommunicatorIndex> const& communicators,
                                std::vector<TreeNode> const& tree) {
  std::map<CommunicatorIndex, std::size_t> depths;
  for (TreeNode const& node : tree) depths.emplace(communicator_of(node), node.depth);
  std::vector<CommunicatorLine> lines;
  for (CommunicatorIndex const index : communicators) {
    CommunicatorSummary const& one = summary.communicator(index);
    lines.push_back({.summary = &summary, .one = &one, .totals = one.totals, .depth = depths.at(index)});
  }
  table::Table table = table_of(view_of_communicators(), std::move(lines), arrangement.top);
  table.in = In::data;
  return table;
}

// The number of communicators of one size that one kind of call created.
struct CensusLine {
  std::uint64_t size;
  std::string created_by;  // empty for MPI_COMM_WORLD and MPI_COMM_SELF
  std::uint64_t communicators = 0;
  std::uint64_t freed = 0;
  Seconds time_s{};  // of the selected operations on them
};

// Counts the selected communicators; ascending by size, then by call. A folded communicator counts as one, since the
// sizes behind it are unknown.
std::vector<CensusLine> take_census(Summary const& summary) {
  std::map<std::pair<std::uint64_t, std::string>, CensusLine> lines;
  for (CommunicatorSummary const& one : summary.communicators) {
    if (!one.selected) continue;
    auto const added = lines.try_emplace({one.size, one.created_by}, CensusLine{one.size, one.created_by}).first;
    added->second.communicators += one.instances;
    if (one.freed) added->second.freed += one.instances;
    added->second.time_s += one.totals.time_s;
  }
  std::vector<CensusLine> census;
  for (auto& [key, line] : lines) census.push_back(std::move(line));
  return census;
}

table::View<CensusLine> view_of_census() {
  return {.name = "census",
          .columns = {{"size", "Size", Kind::count, &CensusLine::size},
                      {"created_by", "Made by", Kind::name, &CensusLine::created_by},
                      {"communicators", "Communicators", Kind::count, &CensusLine::communicators},
                      {"freed", "Freed", Kind::count, &CensusLine::freed},
                      {"time_s", "Time", Kind::seconds, &CensusLine::time_s}}};
}

}  // namespace

table::Table census(Summary const& summary) {
  table::Table table = table_of(view_of_census(), take_census(summary));
  table.title = "How many there are of each size";
  return table;
}

Document communicators(Summary const& summary, Arrangement const& arrangement) {
  auto const all = arrange_communicators(summary, {arrangement.key, {}}, Include::selected);
  auto const tree = tree_of(summary, arrangement.key);
  table::Table people = arrangement.top ? top_of(summary, arrangement, all)
                                        : table_of(view_of_communicators(), lines_of_tree(summary, tree));
  if (!arrangement.top) people.name = "tree";
  people.noun = "communicator";
  people.in = In::people;
  people.title = arrangement.top ? "Communicators" : "All communicators";
  Document document = document_of(summary);
  document.tables = {table_for_programs(summary, arrangement, all, tree), std::move(people), census(summary)};
  return document;
}

}  // namespace mpisee_through
