// Persistent requests: a call of MPI_Start or MPI_Startall counts once on each communicator of the requests that it starts,
// with their bytes and a share of its time. See started_calls.hpp for those that start receives.
#pragma once

#include "wrappers/call.hpp"

namespace commprof {

void start_requests(Call const& call, Op op, int result, int count, RequestsOfCall requests);

// A receive that a persistent request was started for has completed, with so many bytes. The caller holds the lock of the
// pending requests.
void complete_started(PendingRequest& request, std::uint64_t arrived);

}  // namespace commprof
