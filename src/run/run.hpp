// The run of one process, from MPI_Init to MPI_Finalize or from its first session to its last.
#pragma once

#include "base/run_facts.hpp"
#include "mpi/mpi.hpp"

namespace commprof::run {

RunFacts const& facts();

// After PMPI_Init: starts the profile of this process, unless the user does not want one.
void begin();

// Before PMPI_Finalize: writes the profile. Collective over MPI_COMM_WORLD if a profile was begun.
void end();

#if MPI_VERSION >= 4
// A program that never calls MPI_Init is profiled from its first session to its last: the profile is written when that
// is about to close, collective over all processes.
void session_opened(MPI_Session session);
void session_closes(MPI_Session session);
#endif

// Writes a profile of what there is so far; path: as the program gave it, nullptr or "" for the default. Collective
// over MPI_COMM_WORLD. Returns MPI_SUCCESS, also if no profile has begun, or an error code.
int flush(char const* path);

}  // namespace commprof::run
