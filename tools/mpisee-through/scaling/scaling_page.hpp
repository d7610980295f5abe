// Scaling, and the history of commits, as a page for the browser: one file that needs no other, and no script.
#pragma once

#include <optional>
#include <ostream>

#include "scaling/scaling_view.hpp"

namespace mpisee_through {

// history: nothing without one.
void write_page(std::ostream& out, ScalingShown const& shown, History const* history);

}  // namespace mpisee_through
