// Warnings about a comparison, a sentence each: differences between the runs apart from their times, and defects of
// runs.
#pragma once

#include <string>
#include <vector>

#include "comparison/runs.hpp"

namespace mpisee_through {

// The defects of runs: unfinished, or given more than once.
[[nodiscard]] std::vector<std::string> defects_of(Runs const& runs, RunGroup const& group);

// The defects and differences of runs that are compared: in ranks, program, arguments, hosts, MPI, waiting for
// processors, and the profiler's version and options.
[[nodiscard]] std::vector<std::string> notices_of(Runs const& runs, RunGroup const& before, RunGroup const& after);

// The differences between runs on different numbers of ranks: program, arguments, MPI, and the profiler's version and
// options.
[[nodiscard]] std::vector<std::string> differences_of(Runs const& runs, RunGroup const& fewest_ranks,
                                                      RunGroup const& others);

// A warning that differences may be chance, if a side has too few runs to test. Empty if there are enough, or if one
// run is on both sides.
[[nodiscard]] std::string caution_of(Runs const& runs, RunGroup const& before, RunGroup const& after);

}  // namespace mpisee_through
