// Gathers the profile of all processes and writes it: within MPI_Finalize, or when the program asks for a snapshot.
// Rank 0 leads: it orders one attempt after the other (gathering.hpp), in the directory that it finds for each, until
// one has written the profile or no place is left.
#pragma once

#include "base/process.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

// The directories and files that MPI_Init has created for the profile.
struct MadeAtStart {
  char const* spool = "";           // directory of this process's spool file; empty if there is none
  char const* directory = nullptr;  // directory of the profile, on rank 0; nullptr if there is none yet
  char const* pattern = nullptr;    // pattern that named the directory
};

// Collective over all processes, on a communicator of the profiler's own, so that no message meets a receive that the
// program left pending. Returns on all processes whether the profile is written; if not, one line has said why.
bool write_profile(RunFacts const& facts, MadeAtStart const& made, MPI_Comm comm);

// Writes a snapshot of the counts so far; counting goes on. Other threads may call MPI meanwhile. path: from the
// program; nullptr or "" for the default; only rank 0's is used. number: of the snapshot, from 1. Prints one line on
// failure. Returns MPI_SUCCESS or an error code on all processes.
int write_snapshot(RunFacts const& facts, MPI_Comm comm, char const* path, unsigned number);

// Writes the file of COMMPROF_INDEX: a line with the path of each profile, for the user who started the job. On rank 0:
// appends the path of a profile, unless it equals the last one that this process appended, or there is no
// COMMPROF_INDEX. Prints one line on failure.
void add_to_index(char const* profile, RunFacts const& facts);

}  // namespace commprof
