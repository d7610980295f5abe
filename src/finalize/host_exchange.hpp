// Adds up the messages of all processes by the hosts of sender and receiver.
//
//   up     which of the subtree's ranks run on which host
//   down   the same of all ranks
//   up     the sums of the subtree's messages
//
// The size of these messages grows with the number of hosts, and of pairs of hosts up to a limit, not with the number
// of processes: ranks are placed in blocks or in turn.
#pragma once

#include "finalize/channel.hpp"
#include "finalize/own_rows.hpp"

namespace commprof {

// Collective over the processes of the channel. On rank 0, adds the rows of host_pairs.csv: totals are those of all
// processes. What cannot be sent or kept is in the rows without hosts.
void exchange_host_pairs(RowContext const& context, MessageTotals const& totals, Channel const& channel, OwnRows& rows);

}  // namespace commprof
