// Lists of world ranks in the short form of the profile: 0-3,8,64-192:64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// Ascending ones below a bound. Nothing if the text is no such list.
[[nodiscard]] std::optional<std::vector<std::int32_t>> parse_ranks(std::string_view text, std::int32_t bound);

[[nodiscard]] std::string ranges_of(std::vector<std::int32_t> ranks);

// The ranks below a bound that are not among those, which are ascending. Of a damaged bound, there may be more than
// memory for a list.
[[nodiscard]] std::string others_than(std::vector<std::int32_t> const& ranks, std::int32_t bound);

}  // namespace mpisee_through
