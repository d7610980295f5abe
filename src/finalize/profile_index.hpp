// Writes the file of COMMPROF_INDEX: a line with the path of each profile, for the user who started the job.
#pragma once

#include "base/run_facts.hpp"

namespace commprof {

// On rank 0: appends the path of a profile, unless it equals the last one that this process appended, or there is no
// COMMPROF_INDEX. Prints one line on failure.
void add_to_index(char const* profile, RunFacts const& facts);

}  // namespace commprof
