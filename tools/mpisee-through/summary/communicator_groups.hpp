// Families of communicators, which one call makes on several groups of ranks, such as the rows of a grid.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"
#include "summary/waits.hpp"

namespace mpisee_through {

// The name of several communicators, a pattern that --comm takes: "W_d*". It may select others, too.
[[nodiscard]] std::string name_of_group(std::vector<std::string_view> const& names);

// The name without the parts that depend on ranks: "W_s2.*" for W_s2.0, W_s2.4 …, "W_u1.*.t7" for W_u1.0-3.t7,
// W_u1.4-7.t7 …
[[nodiscard]] std::string family_of(std::string_view communicator);

// A summary in which each family with several communicators is one communicator.
struct JoinedFamilies {
  Summary summary;
  Waits waits;
};

// Joins communicators of one family that were made at one call site, as far as it is known. Nothing if no family has
// several communicators with calls.
[[nodiscard]] std::optional<JoinedFamilies> join_families(Summary const& summary, Waits const& waits);

}  // namespace mpisee_through
