// The run of one process, from MPI_Init to MPI_Finalize or from its first session to its last.
#pragma once

#include "base/run_facts.hpp"
#include "mpi/mpi.hpp"

namespace commprof::run {

RunFacts const& facts();

// Before PMPI_Init: tells the other processes that this one has the profiler, and whether it wants a profile.
void announce();

// After PMPI_Init: starts the profile of this process, unless the user does not want one or
// some processes do not have the profiler.
void begin();

// Before PMPI_Finalize: writes the profile. Collective over MPI_COMM_WORLD if a profile was begun.
void end();

// Not told by MPI_VERSION: Open MPI 5.0 has sessions, and calls itself MPI 3.1.
#ifdef MPI_SESSION_NULL
// A program that never calls MPI_Init is profiled from its first session to its last. The profile is written before the
// last one closes, collectively over all processes.
void session_opened(MPI_Session session);
void session_closes(MPI_Session session);
#endif

// Writes a snapshot. path: as the program gave it, nullptr or "" for the default. Collective over MPI_COMM_WORLD.
// Returns MPI_SUCCESS or an error code; without a profile, MPI_SUCCESS.
int flush(char const* path);

}  // namespace commprof::run
