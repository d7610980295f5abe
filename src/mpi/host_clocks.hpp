// Compares the clocks of several hosts.
//
// Processes of a host share a clock. One process of each host, its leader, exchanges messages with a leader of another
// host, when the run begins, and again when a profile or snapshot is written. The two comparisons give offset and
// drift. Leaders form a binomial tree, so each compares with only a few others. The offset to the first leader's clock
// is known up to half of the shortest exchange, summed over the edges between.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

namespace host_clocks {

// All processes of the world call these three functions together. host: identifies this process's host. If a message or
// a communicator fails, the clocks stay unknown.
std::optional<ClockOffset> begin(MPI_Comm world, std::uint64_t host);
// Takes the last point. rate: of this process. Compares nothing on a single host, or without begin().
CommonClock compare(clock::Rate rate);
void end();

}  // namespace host_clocks
}  // namespace commprof
