#include "report/shown_communicators.hpp"

#include <algorithm>

#include "files/visible_text.hpp"
#include "summary/communicator_groups.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t nowhere_yet = static_cast<std::size_t>(-1);

}  // namespace

ShownCommunicators::ShownCommunicators(Summary const& summary, std::size_t most)
    : nodes_(arrange_tree(summary, {.key = SortKey::time, .top = most})),
      group_of_place_(nodes_.size()),
      further_(nodes_.size()),
      place_of_index_(summary.communicators.size(), nowhere_yet) {
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    place_of_index_[static_cast<std::size_t>(nodes_[place].communicator)] = place;
  }
  auto const selected = arrange_communicators(summary, {}, Include::all_selected);
  for (CommunicatorGroup const& group : group_by_maker(summary, selected)) {
    if (group.is_joined()) add_group(name_of_group(summary, group), group.members);
  }
  further_count_ = static_cast<std::size_t>(
      std::ranges::count(selected, nowhere_yet, [&](CommunicatorIndex index) { return place_of(index); }));
  std::ranges::replace(place_of_index_, nowhere_yet, further_);
  for (std::size_t i = 0; i < place_of_index_.size(); ++i) {
    if (place_of_index_[i] != further_) place_of_name_.emplace(summary.communicators[i].name, place_of_index_[i]);
  }
}

void ShownCommunicators::add_group(std::string const& name, std::vector<CommunicatorIndex> const& members) {
  auto const further = static_cast<std::size_t>(
      std::ranges::count(members, nowhere_yet, [&](CommunicatorIndex index) { return place_of(index); }));
  if (further == members.size()) return;
  for (CommunicatorIndex const member : members) {
    std::size_t& place = place_of_index_[static_cast<std::size_t>(member)];
    if (place == nowhere_yet) place = further_;
    else group_of_place_[place] = groups_.size();
  }
  if (further > 0) ++further_;
  groups_.push_back({members.front(), name, members.size(), further});
}

std::size_t ShownCommunicators::place_of(std::string_view name) const {
  auto found = place_of_name_.find(name);
  if (found == place_of_name_.end()) found = place_of_name_.find(visible(name));
  return found == place_of_name_.end() ? further() : found->second;
}

}  // namespace mpisee_through
