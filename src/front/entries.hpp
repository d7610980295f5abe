// The entry points of the front: their names, and the slots that they jump through.
//
// The build writes entry_list.inc from the exports of the flavours: ENTRY(MPI_Send) for each, in byte order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "front/objects.hpp"

namespace commprof::front {

// The number of entry points.
std::size_t entry_count();

char const* entry_name(std::size_t number);

// gnu_hash() of the name.
std::uint32_t entry_hash(std::size_t number);

// Whether the name of any entry point has this hash. Ignores the lowest bit.
bool is_hash_of_entry(std::uint32_t hash);

// The number of the entry point with this name; entry_count() if there is none.
std::size_t find_entry(char const* name);

// Whether a name belongs to UCX or libfabric, to which an MPI gives its messages (transport/transport.hpp).
inline bool is_of_transport(char const* name) {
  return (name[0] == 'u' && name[1] == 'c' && name[2] == 'p') || (name[0] == 'f' && name[1] == 'i' && name[2] == '_');
}

// Like find_entry(), but faster for names that can be neither functions of MPI nor of a transport.
inline std::size_t entry_of_mpi(char const* name) {
  return *name == 'M' || *name == 'm' || is_of_transport(name) ? find_entry(name) : entry_count();
}

// The address of an entry point, which programs call.
void* entry_address(std::size_t number);

// Makes the entry point jump to target.
void lead_entry(std::size_t number, void* target);

// What the entry point jumps to.
void* entry_target(std::size_t number);

}  // namespace commprof::front
