// The text around the tables of --waits.
#pragma once

#include <ostream>

#include "summary/waits.hpp"

namespace mpisee_through {

// Which part of the MPI time is waiting, moving, delays, or not known.
void print_sums_of_waits(std::ostream& out, Summary const& summary, Waits const& waits);
// What bounds and missing shares mean, and what was not sampled.
void print_notes_on_waits(std::ostream& out, Summary const& summary, Waits const& waits);

}  // namespace mpisee_through
