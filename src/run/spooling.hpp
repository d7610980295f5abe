// Chooses and creates the directory of a run's spool files: see spool/spool.hpp.
#pragma once

#include "base/process.hpp"
#include "finalize/profile_writer.hpp"
#include "mpi/mpi.hpp"

namespace commprof::spooling {

// Rank 0 chooses the directory, and every process creates its file in it. The directory is inside that of the profile,
// which rank 0 creates now, or on the nodes. Collective over a communicator of all processes without pending
// operations. Must be called before anything is counted.
void begin(RunFacts const& facts, MPI_Comm comm);

// The directories and the file that begin() created.
MadeAtStart made();

// Removes this process's file, unless it is to be left, and the directories that begin() created, if they are empty.
enum class File { remove, leave };
void end(File file);

}  // namespace commprof::spooling
