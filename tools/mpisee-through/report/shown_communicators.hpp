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

// Assigns communicators to indices ("places") in the report. The costliest ones, with their ancestors, have an index
// each, in the order of the tree. If a group has a shown member, its other members share an index after those. All
// remaining communicators share the last index.
class ShownCommunicators {
 public:
  // The communicators that one call site created: a group of summary/communicator_groups.hpp.
  struct Group {
    CommunicatorIndex first;
    std::string name;
    std::size_t communicators;
    std::size_t further;  // number of members without an index of their own
  };

  ShownCommunicators(Summary const& summary, std::size_t most);

  [[nodiscard]] std::vector<TreeNode> const& nodes() const { return nodes_; }
  [[nodiscard]] std::size_t further() const { return further_; }  // the index of all remaining communicators
  [[nodiscard]] std::size_t further_count() const { return further_count_; }

  // The groups with further members, in the order of their indices.
  [[nodiscard]] std::vector<Group> const& groups() const { return groups_; }
  // The group of a communicator that has an index of its own.
  [[nodiscard]] std::optional<std::size_t> group_of(std::size_t place) const { return group_of_place_[place]; }

  [[nodiscard]] std::size_t place_of(CommunicatorIndex index) const {
    return place_of_index_[static_cast<std::size_t>(index)];
  }
  // The index of a name as spelled in the files.
  [[nodiscard]] std::size_t place_of(std::string_view name) const;

 private:
  void add_group(std::string const& name, std::vector<CommunicatorIndex> const& members);

  std::vector<TreeNode> nodes_;
  std::vector<Group> groups_;
  std::vector<std::optional<std::size_t>> group_of_place_;
  std::size_t further_;
  std::size_t further_count_ = 0;
  std::vector<std::size_t> place_of_index_;
  TextMap<std::size_t> place_of_name_;
};

}  // namespace mpisee_through
