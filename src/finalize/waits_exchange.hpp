// Joins the samples of all processes, up a binomial tree and down again, in two rounds.
//
// A process hands up only what it does not know whole: of a communicator whose members are all below it, nothing goes
// further up. So what a process sends grows with the communicators that reach beyond its part of the tree, not with the
// number of processes.
#pragma once

#include "base/run_facts.hpp"
#include "finalize/channel.hpp"
#include "profile/profile.hpp"
#include "waits/own_waits.hpp"

namespace commprof {

// The samples of this process. records: its calls.
void collect_waits(OwnWaits& waits, MergedRecords const& records);

// All processes of the channel call this together. What cannot be sent or kept is missing in the rows, which count it.
void exchange_waits(OwnWaits& own, RunFacts const& facts, Channel const& channel);

}  // namespace commprof
