// The bytes of a message with a generic datatype. Its owner, the MPI, packs it by functions of its own, and only UCX
// may begin that: MPICH counts how often. So the profiler's function is between UCX and the one that begins.
#pragma once

#include "transport/ucx.hpp"

namespace commprof::transport::generic_types {

// What a generic datatype is made of.
struct Parts {
  ucx::GenericOperations operations;
  void* context;
};

// The parts for UCX in place of the owner's; the owner's own ones if there is no memory.
Parts observed(Parts const& of_owner);

// The bytes of the latest message of a generic datatype that UCX has begun to pack in this thread.
inline thread_local std::uint64_t latest_size = 0;

}  // namespace commprof::transport::generic_types
