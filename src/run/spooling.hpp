// The directory of the spool files of a run: see spool/spool.hpp.
#pragma once

#include "base/run_facts.hpp"
#include "finalize/profile_writer.hpp"
#include "mpi/mpi.hpp"

namespace commprof::spooling {

// Rank 0 chooses the directory, and every process makes its file in it. The directory is in that of the profile, which
// rank 0 makes now, unless the user has chosen another. Collective over a communicator of all processes without pending
// operations. To be called before anything is counted.
void begin(RunFacts const& facts, MPI_Comm comm);

// The directories and the file of begin().
MadeAtStart made();

// Removes the file, if it is not needed, and the directories that begin() has made, if they are empty.
enum class File { remove, leave };
void end(File file);

}  // namespace commprof::spooling
