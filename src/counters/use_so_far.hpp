// Keeps in the spool what the system has counted for the process, so that the profile of a killed job has it. Events
// that are rare, but come again and again, refresh it: a call that is sampled, a region that begins, a snapshot,
// MPI_Abort. Other calls pay nothing.
#pragma once

#include "base/processor_use.hpp"

namespace commprof::use_so_far {

void begin();
// The use since begin().
ProcessorUse now();
// Refreshes what the spool has if it is older than a second or a twentieth of the run, in at most one in 500 parts of
// the time. Any thread may call it.
void refresh();
// Refreshes it in any case.
void keep();

}  // namespace commprof::use_so_far
