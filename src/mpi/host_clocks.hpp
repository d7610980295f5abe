// Compares the clocks of several hosts, by messages between one process of each, its leader. Leaders form a binomial
// tree. The offset to the first leader's clock is known up to half of the shortest exchange, summed over the edges.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "mpi/mpi.hpp"

namespace commprof::host_clocks {

// All processes of the world call these three functions together. If a message or a communicator fails, the clocks stay
// unknown.
std::optional<ClockOffset> begin(MPI_Comm world);
// Takes the last point. rate: of this process. Compares nothing on a single host, or without begin().
CommonClock compare(clock::Rate rate);
void end();

}  // namespace commprof::host_clocks
