// What to bear in mind when runs are compared: how they differ besides in what they took, and what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include "comparison/runs.hpp"

namespace mpisee_through {

// Each a sentence: unfinished runs, a run that is given more than once, and differences in ranks, program, arguments,
// hosts, MPI, and the profiler's version and options.
[[nodiscard]] std::vector<std::string> notices_of(Runs const& runs, RunGroup const& before, RunGroup const& after);

// Of runs that are not on two sides: which are unfinished or given more than once.
[[nodiscard]] std::vector<std::string> notices_of(Runs const& runs);

// Of runs on different numbers of ranks: differences in program, arguments, MPI, and the profiler's version and
// options.
[[nodiscard]] std::vector<std::string> differences_of(Runs const& runs, RunGroup const& fewest_ranks,
                                                      RunGroup const& others);

// What chance may do where a side has too few runs to tell; empty if it has not, and if one run is on both sides.
[[nodiscard]] std::string caution_of(Runs const& runs, RunGroup const& before, RunGroup const& after);

}  // namespace mpisee_through
