// Shows a line for each communicator, below its parent.
#include <map>
#include <set>
#include <utility>

#include "summary/communicator_groups.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {

table::View<CommunicatorLine> view_of_tree() {
  std::vector<table::Column<CommunicatorLine>> columns;
  add_columns(columns, communicator_columns(), itself<CommunicatorLine>,
              "name:Communicator, comm, parent, depth, created_by, size=Size, members, topology, reorder, user_name, "
              "freed, instances, ranks, calls=Calls, bytes_sent, bytes_received, bytes:Volume, time_s=Time, "
              "mpi_share=MPI time, wall_share=Of wall, time_mean_s, imbalance=Imbalance, created_at, made_by:Made by");
  return {.name = "communicators",
          .columns = std::move(columns),
          .text = {"Communicator", "Size", "MPI time", "Of wall", "Time", "Imbalance", "Volume", "Calls", "Made by"},
          .cut = {.title = "Made by", .least = 32}};
}

namespace {

// A line of text: a communicator, or all communicators that one call site created from one parent.
struct Line {
  TreeNode node;
  CommunicatorGroup group;
  std::size_t parent;  // index of the parent's line; the number of lines if it has none
  bool is_shown = true;
};

// The group that replaces each node, by the node's index. A group stands at its first member. Only communicators
// without children are joined.
std::map<CommunicatorIndex, CommunicatorGroup> groups_of(Summary const& summary, std::vector<TreeNode> const& tree) {
  std::map<std::size_t, std::vector<CommunicatorIndex>> leaves;  // by index of the parent
  std::vector<std::size_t> above;                                // indices of the current node and its ancestors
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
  std::vector<std::size_t> above;  // lines of the current node and its ancestors
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

// Keeps the top lines, and the lines above them without numbers. Returns the number of communicators left out.
std::size_t keep_top(Summary const& summary, std::vector<Line>& lines, Arrangement const& arrangement) {
  if (!arrangement.top) return 0;
  std::map<CommunicatorIndex, std::size_t> place_of;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].is_shown = false;
    for (CommunicatorIndex const one : lines[i].group.members) place_of.emplace(one, i);
  }
  // Groups stand where their first members do, until they are sorted by what they show.
  std::vector<std::size_t> order;
  std::set<std::size_t> seen;
  for (CommunicatorIndex const one : arrange_communicators(summary, {arrangement.key, {}}, Include::all_selected))
    if (std::size_t const place = place_of.at(one); seen.insert(place).second) order.push_back(place);
  sort_by_amount(order, arrangement.key, [&](std::size_t place) { return lines[place].group.totals; });
  auto const kept = std::min(*arrangement.top, order.size());
  std::set<std::size_t> const top(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept));
  std::size_t left_out = 0;
  for (std::size_t i = kept; i < order.size(); ++i) left_out += lines[order[i]].group.members.size();
  for (std::size_t const place : top) {
    for (std::size_t one = place; one < lines.size(); one = lines[one].parent) lines[one].is_shown = true;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].node.selected &= top.contains(i);
  return left_out;
}

}  // namespace

void show_tree(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement) {
  bool const is_text = format == Format::text;
  auto const tree = arrange_tree(summary, is_text ? Arrangement{arrangement.key, {}} : arrangement);
  std::vector<Line> lines = is_text ? lines_of(summary, tree) : std::vector<Line>();
  std::size_t const left_out = is_text ? keep_top(summary, lines, arrangement) : 0;
  std::vector<CommunicatorLine> shown;
  for (Line const& line : lines) {
    if (!line.is_shown) continue;
    std::string const group = line.node.selected ? name_of_group(summary, line.group) : "";
    shown.push_back({&summary, &summary.communicator(line.node.communicator), &line.group.totals, group,
                     line.node.depth, line.node.selected});
  }
  for (TreeNode const& node : tree) {
    CommunicatorSummary const& one = summary.communicator(node.communicator);
    if (!is_text && node.selected) shown.push_back({&summary, &one, &one.totals, {}, node.depth});
  }
  auto const view = view_of_tree();
  AroundTable around = around_tables(summary);
  around.below = [&](std::ostream& text) { table::say_hidden(text, left_out, "communicator"); };
  show(out, format, table_of(view, shown), around, {.width = arrangement.width});
}

}  // namespace mpisee_through
