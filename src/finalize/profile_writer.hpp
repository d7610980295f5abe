// Gathers the profile of all processes and writes it, within MPI_Finalize.
//
//   every process       formats its own rows into chunks of fixed size
//   rank 0              takes the chunks in the order of ranks and appends them to the files
//
// A process sends when rank 0 tells it to, and rank 0 tells only a few ahead of the one it is at: its memory does not grow
// with the number of processes. All messages travel on a communicator of the profiler's own.
#pragma once

#include "finalize/run.hpp"

namespace commprof {

// Collective over MPI_COMM_WORLD. Never fails: what cannot be written is said in one line and given up.
void write_profile(RunFacts const& facts);

}  // namespace commprof
