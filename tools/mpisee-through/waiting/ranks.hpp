// Lists of world ranks in the short form of the profile: 0-3,8,64-192:64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// The ranks in the text. Nothing unless they are a list of ascending ranks below the bound.
[[nodiscard]] std::optional<std::vector<std::int32_t>> parse_ranks(std::string_view text, std::int32_t bound);

[[nodiscard]] std::string ranges_of(std::vector<std::int32_t> ranks);

// The ranks below a bound that are not in `ranks`, which are ascending. As a text: with a damaged bound, a list of them
// might not fit into memory.
[[nodiscard]] std::string others_than(std::vector<std::int32_t> const& ranks, std::int32_t bound);

}  // namespace mpisee_through
