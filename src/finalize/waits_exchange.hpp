// Joins the samples of all processes, up a binomial tree and down again, in two rounds.
//
// A process sends its parent only operations that are incomplete in its subtree: communicators whose members are all in
// the subtree are left out. So its messages grow with the number of communicators that reach beyond the subtree, not
// with the number of processes.
#pragma once

#include "base/run_facts.hpp"
#include "finalize/channel.hpp"
#include "profile/profile.hpp"
#include "waits/own_waits.hpp"

namespace commprof {

// Takes the samples of this process. records: its calls.
void collect_waits(OwnWaits& waits, MergedRecords const& records);

// After exchange_waits(): the number of communicators in which this process is rank 0 and whose members may have given
// them different names, because a call that creates communicators has failed on some members only.
std::uint64_t names_in_doubt(OwnWaits const& waits);

// Collective over the processes of the channel. Samples that cannot be sent or stored are missing in the rows, which
// say how many.
void exchange_waits(OwnWaits& own, RunFacts const& facts, Channel const& channel);

}  // namespace commprof
