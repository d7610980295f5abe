#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace mpisee_through {

// Members keep the order in which they were added.
using Json = nlohmann::ordered_json;

[[nodiscard]] inline Json number_or_null(std::optional<double> number) {
  return number ? Json(*number) : Json(nullptr);
}

}  // namespace mpisee_through
