// A set of ranks in the short form of the profile: ascending, as ranges with stride. 0-63,128-191 or 0-192:64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/memory.hpp"

namespace commprof {

// Appends text to a vector; false when memory is used up.
bool append(LastingVector<char>& text, std::string_view part);
bool append_number(LastingVector<char>& text, int number);

// Sorts the ranks, which are a set, and appends their ranges. A stride other than 1 is used from three ranks on; two
// ranks stay apart. False when memory is used up.
bool append_rank_ranges(LastingVector<char>& text, int* ranks, std::size_t count);

// first, first + stride, and so on to last.
struct RankRange {
  std::uint32_t first = 0, last = 0, stride = 1;

  bool operator==(RankRange const&) const = default;
};
// Removes the first range from a list, and the comma after it. Nothing if the list does not begin with a range.
std::optional<RankRange> take_rank_range(std::string_view& list);

// Limits the length. Beyond most_bytes_of_ranges, the text becomes "1000000 ranks, hash 0123456789abcdef", which
// depends only on the ranks. False if memory is used up.
inline constexpr std::size_t most_bytes_of_ranges = 64 * 1024;
inline constexpr std::string_view folded_ranks = " ranks, hash ";
bool fold_long_ranges(LastingVector<char>& text, std::size_t count);

}  // namespace commprof
