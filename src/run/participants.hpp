// Which processes of a job have the profiler, found out without a message on a communicator, which a process without
// the profiler would receive, or keep all others waiting.
#pragma once

// See docs/design.md, "Who takes part". A process that COMMPROF_ENABLE turns off counts as one without the profiler.
namespace commprof::participants {

// Whether COMMPROF_APPS names this program.
bool is_named();

// Must be called before PMPI_Init: tells the other processes of this host that this one has
// the profiler.
void announce();

// Whether all processes have the profiler, and COMMPROF_APPS names the program of one of them. All processes that ask
// get the same answer. If some lack the profiler, prints a line after a few seconds. If that cannot be found out
// without messages, is collective on MPI_COMM_WORLD, and waits for as long as a process is missing.
bool ask(int rank, int ranks);
// Must be called when all processes have their answer.
void forget();

// Whether MPI_COMM_WORLD has fewer processes for the program than for MPI: a tool over PMPI behind the profiler, such
// as a layer of in-situ analysis, keeps some for itself. They may never call MPI again, so the profiler must not wait
// for them. Prints a line if so.
bool see_smaller_world();

}  // namespace commprof::participants
