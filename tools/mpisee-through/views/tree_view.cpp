#include <algorithm>
#include <utility>

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
  for (TreeNode const& node : tree) columns.fit(cells(summary, node));
  columns.print_titles(out);
  for (TreeNode const& node : tree) columns.print(out, cells(summary, node));

  auto const selected = static_cast<std::size_t>(
      std::ranges::count_if(summary.communicators, [](auto const& communicator) { return communicator.selected; }));
  auto const shown =
      static_cast<std::size_t>(std::ranges::count_if(tree, [](TreeNode const& node) { return node.selected; }));
  if (shown < selected) out << "\nNot shown, beyond --top: " << format_count(selected - shown) << ".\n";
}

}  // namespace mpisee_through
