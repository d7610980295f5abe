// Draws the parallel efficiency as a small picture, for a README.
#pragma once

#include <string>

#include "scaling/scaling.hpp"

namespace mpisee_through {

// An SVG: green from 80 %, which POP regards as acceptable; yellow from 60 %; red below; grey if unknown.
[[nodiscard]] std::string badge_of(ScalingPoint const& point);

}  // namespace mpisee_through
