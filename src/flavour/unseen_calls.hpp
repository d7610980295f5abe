// Functions of an MPI that is newer than the profiler: programs call them, and nothing of that is seen.
#pragma once

#include "base/memory.hpp"
#include "flavour/services.hpp"

namespace commprof::unseen_calls {

// Looks for such functions among those that the program and its libraries call, and says so in one line: for rank 0.
void look(front::Services const& front, bool (*is_known)(char const* name));

// Those that were found.
PageVector<char const*> const& names();

}  // namespace commprof::unseen_calls
