// Decides which differences between ranks are large enough to mention.
#pragma once

#include <cstdint>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// Whether work is uneven, by the thresholds of the finding uneven-work.
[[nodiscard]] bool has_uneven_work(Efficiency const& efficiency);

// The ranks whose time outside MPI is above the middle between the mean and the maximum, ascending.
[[nodiscard]] std::vector<std::uint32_t> busy_ranks(Summary const& summary);

}  // namespace mpisee_through
