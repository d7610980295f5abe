// The entry points of the front: their names, and the slots that they jump through.
//
// The build writes entry_list.inc from the exports of the flavours: ENTRY(MPI_Send) for each, in byte order.
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

// The address of an entry point, which programs call.
void* entry_address(std::size_t number);

// From now on the entry point jumps to target.
void lead_entry(std::size_t number, void* target);

}  // namespace commprof::front
