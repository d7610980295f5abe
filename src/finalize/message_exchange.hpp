// Joins what processes know about the waiting for messages.
//
//   counts       a process with many questions for another one says how many, and gets a level: how often it is to
//                halve the instants that it asks about. So no process is asked more than it can answer.
//   questions    whether a message was sent, or its receive posted, at an instant; and the answers
//   hops         whom the process that is waited for waits for itself; the distance doubles each time
//   rows         up a binomial tree and down again, those of a communicator up to where its members meet
#pragma once

#include "base/run_facts.hpp"
#include "finalize/channel.hpp"
#include "message_waits/own_message_waits.hpp"
#include "profile/profile.hpp"

namespace commprof {

// Collective over the processes of the channel. What cannot be sent or stored is not known.
// clock: of several hosts; otherwise not known.
void exchange_messages(OwnMessageWaits& own, RowContext const& context, CommonClock const& clock,
                       Channel const& channel);

}  // namespace commprof
