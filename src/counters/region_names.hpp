// The names of regions in a profile.
#pragma once

#include <string_view>

namespace commprof::region_names {

// The region of calls outside any named one.
inline constexpr std::string_view main = "main";

// Between the names of nested regions.
inline constexpr char separator = '/';

// The path of a region that the program itself names main, outside any other region.
inline constexpr std::string_view main_within_main = "main/main";

}  // namespace commprof::region_names
