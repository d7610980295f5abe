// Estimates which rank sends how much to which other one in collective calls, for profiles that lack the MPI's own
// messages. Calls among all spread a rank's bytes evenly over the others, except its own block of an Alltoall; calls
// with a root move them from or to it, except the root's own block. What the MPI really sends depends on its
// algorithms. Calls on folded communicators, on intercommunicators and on those with processes of other worlds are
// left out: the profile does not say which ranks were together in one, or in a group.
#pragma once

#include <functional>

#include "reader/profile_reader.hpp"
#include "reader/rows.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Calls take() for each pair, size and region of each operation on each communicator. The text of rows is valid within
// the call. Throws ProfileError, and SelectionError for more pairs than can be estimated in seconds.
void estimate_collective_messages(Profile const& profile, std::function<void(PeerRow const&)> const& take);

// The bytes of all calls.
[[nodiscard]] std::uint64_t bytes_of_collectives(Summary const& summary);
// The bytes of calls that are left out. Throws ProfileError.
[[nodiscard]] std::uint64_t read_bytes_left_out(Profile const& profile);

}  // namespace mpisee_through
