// A proposal in all forms. Text has no mapping.
#pragma once

#include <ostream>

#include "placement/proposal.hpp"
#include "table/document.hpp"

namespace mpisee_through {

[[nodiscard]] Document placement(Proposal const& proposal);

}  // namespace mpisee_through
