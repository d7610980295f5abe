// The clocks of several hosts, compared.
//
// Processes of one host have a clock in common. Of each host one process, its leader, exchanges messages with a leader
// of another host, as the run begins and whenever its end, or a snapshot, is written. Two such comparisons give offset
// and drift. The leaders form a binomial tree, so none compares with more than a few others, and what a clock is off
// from the first leader's is known to half the time of the shortest exchange on each edge between.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/common_clock.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

namespace host_clocks {

// All processes of the world call these three together. host: a number for the host of this process. What cannot be
// sent or made leaves the clocks unknown.
void begin(MPI_Comm world, std::uint64_t host);
// Takes the last point. rate: of this process. On one host alone, or where begin() was not called, nothing is compared.
CommonClock compare(clock::Rate rate);
void end();

}  // namespace host_clocks
}  // namespace commprof
