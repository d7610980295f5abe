// Converts a situation to JSON and back. mpisee-through now --json prints it, and run.json of a recovered profile
// contains it.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "waiting/situation.hpp"

namespace mpisee_through {

[[nodiscard]] std::string_view name_of(RankGroup::State state);

// Adds details of a place, such as its function.
using PlaceDetails = std::function<void(CodePlace const&, nlohmann::ordered_json&)>;

[[nodiscard]] nlohmann::ordered_json to_json(Situation const& situation, PlaceDetails const& details = {});

// Nothing if the JSON is not a situation.
[[nodiscard]] std::optional<Situation> situation_of(nlohmann::ordered_json const& json);

}  // namespace mpisee_through
