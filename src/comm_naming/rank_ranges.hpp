// A set of ranks in the short form of the profile: ascending, as ranges with stride. 0-63,128-191 or 0-192:64.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/memory.hpp"

namespace commprof {

// Appends text to a PageVector; false when memory is used up.
bool append(PageVector<char>& text, std::string_view part);

// Sorts the ranks, which are a set, and appends their ranges. A stride other than 1 is used from three ranks on; two
// ranks stay apart. False when memory is used up.
bool append_rank_ranges(PageVector<char>& text, int* ranks, std::size_t count);

}  // namespace commprof
