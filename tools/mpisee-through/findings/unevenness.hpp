// Where ranks differ so much that it is worth a word.
#pragma once

#include "summary/efficiency.hpp"
#include "summary/rank_spread.hpp"

namespace mpisee_through {

// The part of the longest wall time by which the busiest rank computes longer than the mean; 0 if no time passed.
[[nodiscard]] double lost_to_uneven_work(Efficiency const& efficiency);

// Whether work is uneven, by the thresholds of the finding uneven-work.
[[nodiscard]] bool has_uneven_work(Efficiency const& efficiency);

// Whether the rank with the most time has so much more than the one with the least that both are worth naming.
[[nodiscard]] bool differ_much(double min_s, double max_s);

}  // namespace mpisee_through
