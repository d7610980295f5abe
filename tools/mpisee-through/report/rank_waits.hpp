#pragma once

#include <vector>

#include "reader/profile_reader.hpp"

namespace mpisee_through {

// By rank in MPI_COMM_WORLD, the seconds that it waited for others in MPI calls. Empty if the profile does not say.
[[nodiscard]] std::vector<double> seconds_waited(Profile const& profile);

}  // namespace mpisee_through
