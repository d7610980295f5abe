// Finds out which processes of a world have the profiler: docs/design.md, "Who takes part". Sends no message on a
// communicator: a process without the profiler would receive it, or keep all others waiting.
#pragma once

#include "mpi/mpi.hpp"
#include "run/job_on_host.hpp"

namespace commprof::participants {

// Must be called before PMPI_Init, or after PMPI_Session_init: tells the others what this process wants.
void announce(JobOnHost::Purpose purpose);

// Must be called after PMPI_Init. Not collective: waits at most a few seconds for missing processes, and then prints a
// line. All processes that ask get the same answer. If the answer is Verdict::unknown, call ask_in_band().
Verdict ask(int rank, int ranks);
// Must be called before the last session is closed.
Verdict ask_for_sessions(int rank, int ranks);
// Must be called when all processes have their answer.
void forget();

// Collective on MPI_COMM_WORLD: waits as long as a process is missing, and prints a line after half a minute.
Verdict ask_in_band(Wish own);

// What COMMPROF_ENABLE and COMMPROF_APPS say for this process.
Wish own_wish();

}  // namespace commprof::participants
