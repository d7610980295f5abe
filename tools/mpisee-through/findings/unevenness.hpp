// Decides which differences between ranks are large enough to mention.
#pragma once

#include <cstdint>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// The share of the longest wall time by which the busiest rank computes longer than the mean; 0 if no time passed.
[[nodiscard]] double lost_to_uneven_work(Efficiency const& efficiency);

// Whether work is uneven, by the thresholds of the finding uneven-work.
[[nodiscard]] bool has_uneven_work(Efficiency const& efficiency);

// The ranks whose time outside MPI is above the middle between the mean and the maximum, ascending.
[[nodiscard]] std::vector<std::uint32_t> busy_ranks(Summary const& summary);

// Whether the difference between the rank with the most time and the one with the least is worth naming both.
[[nodiscard]] bool differ_much(double min_s, double max_s);

}  // namespace mpisee_through
