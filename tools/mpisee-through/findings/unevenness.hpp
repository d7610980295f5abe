// Where ranks differ so much that it is worth a word.
#pragma once

#include <cstdint>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// The part of the longest wall time by which the busiest rank computes longer than the mean; 0 if no time passed.
[[nodiscard]] double lost_to_uneven_work(Efficiency const& efficiency);

// Whether work is uneven, by the thresholds of the finding uneven-work.
[[nodiscard]] bool has_uneven_work(Efficiency const& efficiency);

// The ranks whose time outside MPI is above the middle between the mean and the maximum, ascending.
[[nodiscard]] std::vector<std::uint32_t> busy_ranks(Summary const& summary);

// Whether the rank with the most time has so much more than the one with the least that both are worth naming.
[[nodiscard]] bool differ_much(double min_s, double max_s);

}  // namespace mpisee_through
