// Functions whose calls the profiler does not see: those of an MPI that is newer than the profiler, and those that the
// program or another library defines itself.
#pragma once

#include "base/memory.hpp"
#include "flavour/services.hpp"

namespace commprof::unseen_calls {

// Looks for such functions among those that the program and its libraries call: for rank 0. Prints a line for a newer
// MPI.
void look(front::Services const& front, bool (*is_known)(char const* name));

// Those that were found.
PageVector<char const*> const& names();

// Functions that another object than the MPI defines: without the profiler's seeing their calls, and tools behind it.
PageVector<char const*> const& defined_elsewhere();
PageVector<char const*> const& forwarded();

}  // namespace commprof::unseen_calls
