// The entry points of UCX and libfabric, to which an MPI gives its messages. They lead to the next definition, as in a
// process without MPI, until the flavour wants to observe them.
#pragma once

#include <atomic>

#include "flavour/services.hpp"
#include "front/loaded_object.hpp"
#include "front/owner.hpp"

namespace commprof::front {

inline std::atomic<bool> is_transport_observed{false};

struct TransportUse {
  link_map const* mpi;      // nullptr if unknown
  link_map const* flavour;  // nullptr if the process is not profiled
  Services const& services;
};

// The function that an entry point jumps to: the flavour's, which then calls the next definition; or the next
// definition itself.
void* transport_target(std::size_t number, Definition const& found, TransportUse const& use);

// Sets all entry points of transports whose next definition is known.
void lead_transport(TransportUse const& use);

}  // namespace commprof::front
