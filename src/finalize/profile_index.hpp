// The file of COMMPROF_INDEX: a line with the path of each profile, for whoever started the job.
#pragma once

#include "base/run_facts.hpp"

namespace commprof {

// Rank 0: adds the path of a profile, unless it was the last that this process added, or no such file is wanted. If
// that fails, one line on stderr says so.
void add_to_index(char const* profile, RunFacts const& facts);

}  // namespace commprof
