// The run of one process: its start and its end, and the commands that the program gives in between. The other headers
// of the folder are for the folder alone.
#pragma once

#include "base/process.hpp"
#include "mpi/mpi.hpp"
#include "options/options.hpp"

namespace commprof {

// The run of one process, from MPI_Init to MPI_Finalize.
namespace run {

RunFacts const& facts();

// Must be called before PMPI_Init: tells the other processes that this one has the profiler, and whether it wants a
// profile.
void announce();

// Must be called after PMPI_Init: starts the profile of this process, unless the user does not want one or some
// processes lack the profiler.
void begin();

// Must be called before PMPI_Abort: notes in the spool that this process ends the job.
void abort(int code);

// Must be called after MPI_Session_init. Sessions have no profile of their own: a program that never calls MPI_Init is
// not profiled.
void session_opened();

// Writes a snapshot. path: from the program; nullptr or "" for the default. Collective over MPI_COMM_WORLD. Returns
// MPI_SUCCESS or an error code; without a profile, MPI_SUCCESS.
int flush(char const* path);

}  // namespace run

// The program's commands to the profiler: pause, resume, begin and end of a named region, snapshot. Before the profile
// has begun and after it has ended, they do nothing. Any thread may call them; pauses and regions apply to the whole
// process.
namespace control {

// The meaning of a level of MPI_Pcontrol. A name follows that of begin_region alone: for others, no further argument
// may be read.
enum class Wish : std::uint8_t { nothing, pause, resume, flush, begin_region, end_region };
Wish meaning_of(int level);

// name: nullptr if the level has none.
void obey(Wish wish, char const* name);

// Uses only the part of the name that a profile shows.
void begin_region(char const* name);
// name: nullptr ends the innermost region.
void end_region(char const* name);

}  // namespace control

}  // namespace commprof
