// Families: communicators that one call makes on several groups of ranks, such as the rows of a grid.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"
#include "summary/waits.hpp"

namespace mpisee_through {

// The name without the parts that depend on ranks: "W_s2.*" for W_s2.0, W_s2.4 …, "W_u1.*.t7" for W_u1.0-3.t7,
// W_u1.4-7.t7 …
[[nodiscard]] std::string family_of(std::string_view communicator);

// A summary in which each family with several communicators is one communicator.
struct JoinedFamilies {
  Summary summary;
  Waits waits;
  std::vector<std::vector<CommunicatorIndex>> members;  // by index in this summary: indices in the original one
  Summary const* original = nullptr;

  [[nodiscard]] std::vector<CommunicatorIndex> const& members_of(CommunicatorIndex joined) const {
    return members[static_cast<std::size_t>(joined)];
  }
  [[nodiscard]] bool is_family(CommunicatorIndex joined) const { return members_of(joined).size() > 1; }
};

// Joins communicators of one family that were made at one call site, as far as it is known. Nothing if no family has
// several communicators with calls.
[[nodiscard]] std::optional<JoinedFamilies> join_families(Summary const& summary, Waits const& waits);

}  // namespace mpisee_through
