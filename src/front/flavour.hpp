// Opens a flavour of the profiler and binds it to the MPI of the process.
#pragma once

#include "flavour/services.hpp"
#include "front/mpi_of_process.hpp"

namespace commprof::front {

// Opens the flavour for an ABI: commprof/ABI.so in the directory of the front. problem: on failure, the reason, in
// static memory. Several threads may call it at once.
link_map const* open_flavour(char const* abi, MpiOfProcess const& mpi, Services& services, char const*& problem);

}  // namespace commprof::front
