#pragma once

#include <nlohmann/json.hpp>

namespace mpisee_through {

// Members keep the order in which they were added.
using Json = nlohmann::ordered_json;

}  // namespace mpisee_through
