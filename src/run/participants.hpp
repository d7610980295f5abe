// Which processes of a world have the profiler: docs/design.md, "Who takes part". Found out without a message on a
// communicator, which a process without the profiler would receive, or would keep all waiting for.
#pragma once

#include "mpi/mpi.hpp"
#include "run/job_on_host.hpp"

namespace commprof::participants {

// Before PMPI_Init, and after PMPI_Session_init: what this process wants, for the others to see.
void announce(JobOnHost::Purpose purpose);

// After PMPI_Init. Not collective: waits for a few seconds at most where processes are missing, and says so. All
// processes that ask get the same answer. Where nothing tells (Verdict::unknown), ask_in_band() does.
Verdict ask(int rank, int ranks);
// Before the last session is closed.
Verdict ask_for_sessions(int rank, int ranks);
// Once all processes have their answer.
void forget();

// Collective on MPI_COMM_WORLD: waits for as long as a process is missing, but says so after half a minute.
Verdict ask_in_band(Wish own);

// By COMMPROF_ENABLE and COMMPROF_APPS.
Wish own_wish();

}  // namespace commprof::participants
