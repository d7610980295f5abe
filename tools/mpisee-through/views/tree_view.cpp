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

// One line: a communicator, or all that one call site has made of one communicator.
struct Line {
  TreeNode node;
  CommunicatorGroup group;
  std::size_t parent;  // its line, or that of none: the number of lines
  bool is_shown = true;
};

std::vector<std::string> cells(Summary const& summary, Line const& line) {
  CommunicatorSummary const& communicator = summary.communicator(line.node.communicator);
  std::size_t const more = line.group.members.size() - 1;
  std::vector<std::string> cells{
      fmt::format("{:{}}{}{}", "", 2 * line.node.depth, communicator.name,
                  more > 0 && line.node.selected ? fmt::format(" and {} more", format_count(more)) : ""),
      format_count(communicator.size)};
  if (line.node.selected) {
    cells.push_back(format_share(summary.share_of_mpi(line.group.totals)));
    cells.push_back(format_share(summary.share_of_wall(line.group.totals)));
    cells.push_back(format_seconds(line.group.totals.time_s));
    cells.push_back(line.group.is_joined() ? "-" : format_share(communicator.imbalance()));
    cells.push_back(format_bytes(line.group.totals.bytes()));
    cells.push_back(format_count(line.group.totals.calls));
  } else {
    cells.insert(cells.end(), 6, "-");
  }
  cells.push_back(line.group.is_joined() ? describe_maker(summary, communicator)
                                         : describe_origin(communicator, summary.site_names.get()));
  return cells;
}

// What stands in place of each node, by its index: those of a group in the place of its first member. Only
// communicators of which nothing was made are joined.
std::map<CommunicatorIndex, CommunicatorGroup> groups_of(Summary const& summary, std::vector<TreeNode> const& tree) {
  std::map<std::size_t, std::vector<CommunicatorIndex>> leaves;  // by the place of what they were made of
  std::vector<std::size_t> above;                                // the places of the current node and those above it
  for (std::size_t i = 0; i < tree.size(); ++i) {
    above.resize(tree[i].depth);
    bool const is_leaf = i + 1 == tree.size() || tree[i + 1].depth <= tree[i].depth;
    if (is_leaf && tree[i].selected) leaves[above.empty() ? tree.size() : above.back()].push_back(tree[i].communicator);
    above.push_back(i);
  }
  std::map<CommunicatorIndex, CommunicatorGroup> groups;  // by the first member
  for (auto const& [place, communicators] : leaves) {
    for (CommunicatorGroup& group : group_by_maker(summary, communicators)) {
      CommunicatorIndex const first = group.members.front();
      groups.emplace(first, std::move(group));
    }
  }
  return groups;
}

std::vector<Line> lines_of(Summary const& summary, std::vector<TreeNode> const& tree) {
  auto groups = groups_of(summary, tree);
  std::set<CommunicatorIndex> joined;
  for (auto const& [first, group] : groups) joined.insert(group.members.begin() + 1, group.members.end());
  std::vector<Line> lines;
  std::vector<std::size_t> above;  // the lines of the current one and those above it
  for (TreeNode const& node : tree) {
    if (joined.contains(node.communicator)) continue;
    above.resize(node.depth);
    auto const group = groups.find(node.communicator);
    Line line{.node = node, .group = {}, .parent = above.empty() ? tree.size() : above.back()};
    if (group == groups.end()) {
      line.group = {{node.communicator}, summary.communicator(node.communicator).totals};
    } else {
      line.group = std::move(group->second);
    }
    above.push_back(lines.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

// Of the other lines, shows only the ones above, and these without numbers. Returns the number of communicators that
// are left out.
std::size_t keep_top(Summary const& summary, std::vector<Line>& lines, Arrangement const& arrangement) {
  if (!arrangement.top) return 0;
  std::map<CommunicatorIndex, std::size_t> place_of;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].is_shown = false;
    for (CommunicatorIndex const one : lines[i].group.members) place_of.emplace(one, i);
  }
  std::set<std::size_t> top;
  std::size_t left_out = 0;
  // A group has the place of its first member.
  for (CommunicatorIndex const one : arrange_communicators(summary, {arrangement.key, {}}, Include::all_selected)) {
    std::size_t const place = place_of.at(one);
    if (top.size() < *arrangement.top) top.insert(place);
    if (!top.contains(place)) ++left_out;
  }
  for (std::size_t const place : top) {
    for (std::size_t one = place; one < lines.size(); one = lines[one].parent) lines[one].is_shown = true;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].node.selected &= top.contains(i);
  return left_out;
}

}  // namespace

void print_tree(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  using namespace align;
  std::vector<Line> lines = lines_of(summary, arrange_tree(summary, {arrangement.key, {}}));
  std::size_t const left_out = keep_top(summary, lines, arrangement);
  std::erase_if(lines, [](Line const& line) { return !line.is_shown; });
  Columns columns(0, {{"Communicator", left},
                      {"Size", right},
                      {"MPI time", right},
                      {"Of wall", right},
                      {"Time", right},
                      {"Imbalance", right},
                      {"Volume", right},
                      {"Calls", right},
                      {"Made by", left}});
  KeptLines kept;
  for (Line const& line : lines) {
    auto const texts = cells(summary, line);
    columns.fit(texts);
    kept.add(texts);
  }
  columns.cut(8, arrangement.width);
  columns.print_titles(out);
  for (std::size_t i = 0; i < lines.size(); ++i) columns.print(out, kept);
  if (left_out > 0) out << "\nNot shown, beyond --top: " << format_number_of(left_out, "communicator") << ".\n";
}

}  // namespace mpisee_through
