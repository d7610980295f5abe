// The parallel efficiency as a small picture, for a README.
#pragma once

#include <string>

#include "scaling/scaling.hpp"

namespace mpisee_through {

// SVG. Green from 80 % on, which POP regards as acceptable, yellow from 60 % on, red below; grey if it is not known.
[[nodiscard]] std::string badge_of(ScalingPoint const& point);

}  // namespace mpisee_through
