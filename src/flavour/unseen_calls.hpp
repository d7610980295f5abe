// Functions of MPI whose calls the profiler does not see: those that only a newer MPI has, those of a library for
// Fortran that the flavour has no wrappers for, and those that the program or another library defines itself.
#pragma once

#include "base/memory.hpp"
#include "flavour/services.hpp"

namespace commprof::unseen_calls {

// Looks for these functions among those that the program and its libraries import. For rank 0 only. Prints a line with
// their names.
void look(front::Services const& front, bool (*is_known)(char const* name));

// The functions of a newer MPI, and of a library for Fortran, that were found.
LastingVector<char const*> const& names();

// Functions that an object other than the MPI defines. defined_elsewhere(): the profiler does not see their calls.
// forwarded(): it sees them, and forwards them to a tool.
LastingVector<char const*> const& defined_elsewhere();
LastingVector<char const*> const& forwarded();

}  // namespace commprof::unseen_calls
