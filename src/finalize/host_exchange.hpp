// Sums the messages of all processes by the hosts of sender and receiver, and the bytes between hosts.
//
//   up     the hosts of the subtree's ranks
//   down   the hosts of all ranks
//   up     the sums of the subtree's messages
//
// The size of these exchanges grows with the number of hosts, and of pairs of hosts up to a limit, not with the number
// of processes, because ranks are placed in blocks or in turn.
#pragma once

#include "finalize/channel.hpp"
#include "finalize/own_rows.hpp"

namespace commprof {

// Whether messages are summed by host: unless the profile has the rows of all ranks and these are not too many.
constexpr bool wants_hosts(bool is_of_sums, int ranks) { return is_of_sums || ranks > schema::most_ranks_to_place; }

// Collective over the processes of the channel. On rank 0, adds the bytes between hosts to the totals and, with pairs,
// the rows of host_pairs.csv. Messages of pairs that cannot be sent or stored go into the rows without hosts.
void exchange_hosts(RowContext const& context, bool with_pairs, MessageTotals& totals, Channel const& channel,
                    OwnRows& rows);

}  // namespace commprof
