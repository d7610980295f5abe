// Opens a flavour of the profiler, and gives it the MPI that it is to work with.
#pragma once

#include "flavour/services.hpp"
#include "front/loaded_object.hpp"

namespace commprof::front {

// Opens the flavour for an ABI: commprof/ABI.so in the directory of the front. problem: on failure, why; it stays.
// Several threads may do so at once.
void* open_flavour(char const* abi, LoadedObject const& mpi, Services& services, char const*& problem);

}  // namespace commprof::front
