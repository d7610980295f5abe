// A proposal in all forms. Text has no mapping.
#pragma once

#include <ostream>

#include "placement/proposal.hpp"
#include "views/views.hpp"

namespace mpisee_through {

void show(std::ostream& out, Proposal const& proposal, Format format);

}  // namespace mpisee_through
