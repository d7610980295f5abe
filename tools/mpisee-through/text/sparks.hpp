// Draws numbers over time as a line of characters.
#pragma once

#include <optional>
#include <string_view>

namespace mpisee_through {

// A character for a part from 0 to 1; a blank only for nothing.
[[nodiscard]] std::string_view spark_of(std::optional<double> part);

}  // namespace mpisee_through
