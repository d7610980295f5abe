// The entry points of the front: their names, and the slots that they jump through.
//
// entry_list.inc is made by the build from what the flavours export: ENTRY(MPI_Send) for each, in the order of their
// bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

namespace commprof::front {

// The number of entry points.
std::size_t entry_count();

char const* entry_name(std::size_t number);

// The number of an entry point, or entry_count() if there is none of that name.
std::size_t find_entry(std::string_view name);

// The address that programs call.
void* entry_address(std::size_t number);

// Has an entry point jump to that address from now on.
void lead_entry(std::size_t number, void* target);

}  // namespace commprof::front
