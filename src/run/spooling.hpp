// Where the processes of a run keep what they count while it goes on: see spool/spool.hpp.
#pragma once

#include "base/run_facts.hpp"
#include "finalize/profile_writer.hpp"
#include "mpi/mpi.hpp"

namespace commprof::spooling {

// Collective over a communicator of all processes, on which nothing else is going on, before anything is counted: rank
// 0 says where, and every process makes its file there. That is in the directory of the profile, which rank 0 makes
// now, unless the user wants it elsewhere.
void begin(RunFacts const& facts, MPI_Comm comm);

// What begin() has made.
MadeAtStart made();

// Takes away the directories that begin() has made, if they are empty, and the file, if nobody needs it.
enum class File { remove, leave };
void end(File file);

}  // namespace commprof::spooling
