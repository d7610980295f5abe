// The run of one process, from MPI_Init to MPI_Finalize or from its first session to its last.
#pragma once

#include "base/process.hpp"
#include "mpi/mpi.hpp"

namespace commprof::run {

RunFacts const& facts();

// Must be called before PMPI_Init: tells the other processes that this one has the profiler, and whether it wants a
// profile.
void announce();

// Must be called after PMPI_Init: starts the profile of this process, unless the user does not want one or some
// processes lack the profiler.
void begin();

// Must be called before PMPI_Finalize: runs the program's callbacks of MPI_COMM_SELF, and writes the profile.
// Collective over MPI_COMM_WORLD if a profile was begun.
void end();

// Must be called before PMPI_Abort: notes in the spool that this process ends the job.
void abort(int code);

// A program that never calls MPI_Init is profiled from its first session to its last. The profile is written before the
// last one closes, collectively over all processes.
void session_opened(MPI_Session session);
void session_closes(MPI_Session session);

// Writes a snapshot. path: from the program; nullptr or "" for the default. Collective over MPI_COMM_WORLD. Returns
// MPI_SUCCESS or an error code; without a profile, MPI_SUCCESS.
int flush(char const* path);

}  // namespace commprof::run
