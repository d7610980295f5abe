// Joins what the processes know about waiting, windows of time and messages between hosts.
#pragma once

#include "base/process.hpp"
#include "finalize/gather.hpp"
#include "finalize/own_rows.hpp"
#include "message_waits/own_message_waits.hpp"
#include "profile/profile.hpp"
#include "time_windows/time_windows.hpp"
#include "waits/own_waits.hpp"

namespace commprof {

// Joins what processes know about the waiting for messages.
//
//   counts       a process with many questions for another one says how many, and gets a level: how often it is to
//                halve the instants that it asks about. So no process is asked more than it can answer.
//   questions    whether a message was sent, or its receive posted, at an instant; and the answers
//   hops         whom the process that is waited for waits for itself; the distance doubles each time
//   rows         up a binomial tree and down again, those of a communicator up to where its members meet
//
// Collective over the processes of the channel. What cannot be sent or stored is not known.
// clock: of several hosts; otherwise not known.
void exchange_messages(OwnMessageWaits& own, RowContext const& context, CommonClock const& clock,
                       Channel const& channel);

// Joins the samples of all processes, up a binomial tree and down again, in two rounds.
//
// A process sends its parent only operations that are incomplete in its subtree: communicators whose members are all in
// the subtree are left out. So its messages grow with the number of communicators that reach beyond the subtree, not
// with the number of processes.

// Takes the samples of this process. records: its calls.
void collect_waits(OwnWaits& waits, MergedRecords const& records);

// After exchange_waits(): the number of communicators in which this process is rank 0 and whose members may have given
// them different names, because a call that creates communicators has failed on some members only.
std::uint64_t names_in_doubt(OwnWaits const& waits);

// Collective over the processes of the channel. Samples that cannot be sent or stored are missing in the rows, which
// say how many.
void exchange_waits(OwnWaits& own, RunFacts const& facts, Channel const& channel);

// Adds up the windows of time of neighbouring ranks, up the tree within their group.
//
// Collective over the processes of the channel. The first rank of a group of so many gets the rows of the group. False
// if a message or memory is missing.
bool exchange_windows(OwnTimeWindows const& own, WindowSpan const& span, int group, RowContext const& context,
                      Channel const& channel, OwnRows& rows);

// Sums the messages of all processes by the hosts of sender and receiver, and the bytes between hosts.
//
//   up     the hosts of the subtree's ranks
//   down   the hosts of all ranks
//   up     the sums of the subtree's messages
//
// The size of these exchanges grows with the number of hosts, and of pairs of hosts up to a limit, not with the number
// of processes, because ranks are placed in blocks or in turn.

// Whether messages are summed by host: unless the profile has the rows of all ranks and these are not too many.
constexpr bool wants_hosts(bool is_of_sums, int ranks) { return is_of_sums || ranks > schema::most_ranks_to_place; }

// Collective over the processes of the channel. On rank 0, adds the bytes between hosts to the totals and, with pairs,
// the rows of host_pairs.csv. Messages of pairs that cannot be sent or stored go into the rows without hosts.
void exchange_hosts(RowContext const& context, bool with_pairs, MessageTotals& totals, Channel const& channel,
                    OwnRows& rows);

}  // namespace commprof
