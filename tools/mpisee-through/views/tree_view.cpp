#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "summary/communicator_groups.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::vector<std::string> cells(Summary const& summary, TreeNode const& node) {
  CommunicatorSummary const& communicator = summary.communicator(node.communicator);
  std::vector<std::string> cells{std::string(2 * node.depth, ' ') + communicator.name, format_count(communicator.size)};
  if (node.selected) {
    cells.push_back(format_share(summary.share_of_mpi(communicator)));
    cells.push_back(format_seconds(communicator.totals.time_s));
    cells.push_back(format_bytes(communicator.totals.bytes()));
    cells.push_back(format_count(communicator.totals.calls));
  } else {
    cells.insert(cells.end(), 4, "-");
  }
  cells.push_back(describe_origin(communicator, summary.site_names.get()));
  return cells;
}

// What one call site has made of one communicator, as one line.
std::vector<std::string> cells(Summary const& summary, TreeNode const& first, CommunicatorGroup const& group) {
  if (!group.is_joined()) return cells(summary, first);
  CommunicatorSummary const& communicator = summary.communicator(first.communicator);
  return {fmt::format("{:{}}{} and {} more", "", 2 * first.depth, communicator.name,
                      format_count(group.members.size() - 1)),
          format_count(communicator.size),
          format_share(summary.share_of_mpi(group.totals)),
          format_seconds(group.totals.time_s),
          format_bytes(group.totals.bytes()),
          format_count(group.totals.calls),
          describe_maker(summary, communicator)};
}

// The lines, those of a group in the place of its first member. Only communicators of which nothing was made are
// joined.
std::vector<std::vector<std::string>> lines_of(Summary const& summary, std::vector<TreeNode> const& tree) {
  std::map<std::size_t, std::vector<CommunicatorIndex>> leaves;  // by the place of what they were made of
  std::vector<std::size_t> above;                                // the places of the current node and those above it
  for (std::size_t i = 0; i < tree.size(); ++i) {
    above.resize(tree[i].depth);
    bool const is_leaf = i + 1 == tree.size() || tree[i + 1].depth <= tree[i].depth;
    if (is_leaf && tree[i].selected) leaves[above.empty() ? tree.size() : above.back()].push_back(tree[i].communicator);
    above.push_back(i);
  }
  std::map<CommunicatorIndex, CommunicatorGroup> groups;  // by the first member
  std::set<CommunicatorIndex> joined;
  for (auto const& [place, communicators] : leaves) {
    for (CommunicatorGroup& group : group_by_maker(summary, communicators)) {
      joined.insert(group.members.begin() + 1, group.members.end());
      CommunicatorIndex const first = group.members.front();
      groups.emplace(first, std::move(group));
    }
  }
  std::vector<std::vector<std::string>> lines;
  for (TreeNode const& node : tree) {
    if (joined.contains(node.communicator)) continue;
    auto const group = groups.find(node.communicator);
    lines.push_back(group == groups.end() ? cells(summary, node) : cells(summary, node, group->second));
  }
  return lines;
}

}  // namespace

void print_tree(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  using enum Columns::Align;
  std::vector<TreeNode> const tree = arrange_tree(summary, arrangement);
  Columns columns(0, {{"Communicator", left},
                      {"Size", right},
                      {"MPI time", right},
                      {"Time", right},
                      {"Volume", right},
                      {"Calls", right},
                      {"Made by", left}});
  auto const lines = lines_of(summary, tree);
  for (auto const& line : lines) columns.fit(line);
  columns.print_titles(out);
  for (auto const& line : lines) columns.print(out, line);

  auto const selected = static_cast<std::size_t>(
      std::ranges::count_if(summary.communicators, [](auto const& communicator) { return communicator.selected; }));
  auto const shown =
      static_cast<std::size_t>(std::ranges::count_if(tree, [](TreeNode const& node) { return node.selected; }));
  if (shown < selected) out << "\nNot shown, beyond --top: " << format_count(selected - shown) << ".\n";
}

}  // namespace mpisee_through
