#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {

// The communicators that a report shows one by one: those that cost most time, with their ancestors, in the order of
// their tree. Of those that one call site has made, the others go by a place of their own after these, if at least one
// is shown; all others go by the last place.
class ShownCommunicators {
 public:
  // Communicators that one call site has made: a joined group of summary/communicator_groups.hpp.
  struct Group {
    CommunicatorIndex first;
    std::size_t communicators;
    std::size_t further;  // of them, not shown one by one
  };

  ShownCommunicators(Summary const& summary, std::size_t most);

  [[nodiscard]] std::vector<TreeNode> const& nodes() const { return nodes_; }
  [[nodiscard]] std::size_t further() const { return further_; }  // the place of all others
  [[nodiscard]] std::size_t further_count() const { return further_count_; }

  // The places after those of the nodes are of the groups with further communicators, in this order.
  [[nodiscard]] std::vector<Group> const& groups() const { return groups_; }
  // That a communicator shown one by one belongs to.
  [[nodiscard]] std::optional<std::size_t> group_of(std::size_t place) const { return group_of_place_[place]; }

  [[nodiscard]] std::size_t place_of(CommunicatorIndex index) const {
    return place_of_index_[static_cast<std::size_t>(index)];
  }
  // Of a name as it is spelled in the files of the profile. Rows of one communicator stand together: the last name is
  // remembered.
  [[nodiscard]] std::size_t place_of(std::string_view name);

 private:
  void add_group(std::vector<CommunicatorIndex> const& members);

  std::vector<TreeNode> nodes_;
  std::vector<Group> groups_;
  std::vector<std::optional<std::size_t>> group_of_place_;
  std::size_t further_;
  std::size_t further_count_ = 0;
  std::vector<std::size_t> place_of_index_;
  TextMap<std::size_t> place_of_name_;
  std::string last_name_;
  std::size_t last_place_;
};

}  // namespace mpisee_through
