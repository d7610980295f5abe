#include "report/shown_communicators.hpp"

#include <algorithm>

#include "files/visible_text.hpp"

namespace mpisee_through {

ShownCommunicators::ShownCommunicators(Summary const& summary, std::size_t most)
    : nodes_(arrange_tree(summary, {.key = SortKey::time, .top = most})),
      further_count_(static_cast<std::size_t>(
          std::ranges::count_if(summary.communicators, &CommunicatorSummary::selected) -
          std::ranges::count_if(
              nodes_, [&](TreeNode const& node) { return summary.communicator(node.communicator).selected; }))),
      place_of_index_(summary.communicators.size(), nodes_.size()),
      last_place_(nodes_.size()) {
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    CommunicatorIndex const index = nodes_[place].communicator;
    place_of_index_[static_cast<std::size_t>(index)] = place;
    place_of_name_.emplace(summary.communicator(index).name, place);
  }
}

std::size_t ShownCommunicators::place_of(std::string_view name) {
  if (name == last_name_) return last_place_;
  auto found = place_of_name_.find(name);
  if (found == place_of_name_.end()) found = place_of_name_.find(visible(name));
  last_name_ = name;
  last_place_ = found == place_of_name_.end() ? further() : found->second;
  return last_place_;
}

}  // namespace mpisee_through
