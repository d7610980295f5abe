// The functions of MPI that the profiler knows, with or without a wrapper. Generated from the call table and mpi.h.
#pragma once

#include <string_view>

namespace commprof::known_calls {

bool contain(std::string_view name);

}  // namespace commprof::known_calls
