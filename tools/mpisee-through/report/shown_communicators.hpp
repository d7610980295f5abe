#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {

// The communicators that a report shows one by one: those that cost most time, with their ancestors, in the order of
// their tree. All others go by the place after the last.
class ShownCommunicators {
 public:
  ShownCommunicators(Summary const& summary, std::size_t most);

  [[nodiscard]] std::vector<TreeNode> const& nodes() const { return nodes_; }
  [[nodiscard]] std::size_t further() const { return nodes_.size(); }  // the place of all others
  [[nodiscard]] std::size_t further_count() const { return further_count_; }

  [[nodiscard]] std::size_t place_of(CommunicatorIndex index) const {
    return place_of_index_[static_cast<std::size_t>(index)];
  }
  // Of a name as it is spelled in the files of the profile. Rows of one communicator stand together: the last name is
  // remembered.
  [[nodiscard]] std::size_t place_of(std::string_view name);

 private:
  std::vector<TreeNode> nodes_;
  std::size_t further_count_;
  std::vector<std::size_t> place_of_index_;
  TextMap<std::size_t> place_of_name_;
  std::string last_name_;
  std::size_t last_place_;
};

}  // namespace mpisee_through
