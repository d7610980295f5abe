// A proposal as text, CSV and JSON.
#pragma once

#include <ostream>

#include "placement/proposal.hpp"
#include "views/views.hpp"

namespace mpisee_through {

void show(std::ostream& out, Proposal const& proposal, Format format);
void write_json(std::ostream& out, Proposal const& proposal);

}  // namespace mpisee_through
