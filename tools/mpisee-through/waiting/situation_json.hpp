// A situation as JSON, as mpisee-through now --json prints it and run.json of a recovered profile holds it.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "waiting/situation.hpp"

namespace mpisee_through {

// Adds what more is known of a place.
using PlaceDetails = std::function<void(CodePlace const&, nlohmann::ordered_json&)>;

[[nodiscard]] nlohmann::ordered_json to_json(Situation const& situation, PlaceDetails const& details = {});

// Nothing if that is no situation.
[[nodiscard]] std::optional<Situation> situation_of(nlohmann::ordered_json const& json);

}  // namespace mpisee_through
