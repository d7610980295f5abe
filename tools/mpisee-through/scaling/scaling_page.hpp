// Writes scaling, and the history of commits, as a self-contained page for the browser, without scripts.
#pragma once

#include <optional>
#include <ostream>

#include "scaling/scaling_view.hpp"

namespace mpisee_through {

// history: may be null.
void write_page(std::ostream& out, ScalingShown const& shown, History const* history);

}  // namespace mpisee_through
