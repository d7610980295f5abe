#pragma once

#include <vector>

#include "reader/profile_reader.hpp"

namespace mpisee_through {

// How long each rank waited for others in its calls of MPI, in seconds, by its rank in MPI_COMM_WORLD. Empty where the
// profile does not say.
[[nodiscard]] std::vector<double> seconds_waited(Profile const& profile);

}  // namespace mpisee_through
