// Gathers the profile of all processes and writes it: within MPI_Finalize, or when the program asks for a snapshot.
//
//   every process       formats its own rows into chunks of fixed size
//   rank 0              takes the chunks in the order of ranks and appends them to the files
//
// A process sends when rank 0 tells it to, and rank 0 tells only a few ahead of the one it is at: its memory does not grow
// with the number of processes.
#pragma once

#include "finalize/run_facts.hpp"
#include "profile/mpi.hpp"

namespace commprof {

// Collective over a communicator of all processes, one of the profiler's own, so that nothing meets a receive that the program
// left pending. Never fails: what cannot be written is said in one line and given up.
void write_profile(RunFacts const& facts, MPI_Comm comm);

// Writes what there is so far and changes nothing of it; other threads may go on. path: as the program gave it, nullptr or ""
// for the default; rank 0's counts. number: of the snapshot, from 1. What cannot be written is said in one line. Returns, on all
// processes, MPI_SUCCESS or an error code.
int write_snapshot(RunFacts const& facts, MPI_Comm comm, char const* path, unsigned number);

}  // namespace commprof
