// The objects of libfabric that the MPI has opened. Their functions are called through tables that many objects share,
// also those that a provider opens for itself. So each observed object gets copies of its tables, in which functions
// are replaced.
//
// Callers serialise the opening and closing of an object. Different objects need no order.
#pragma once

#include <cstdint>

#include "transport/endpoints.hpp"
#include "transport/ofi.hpp"

namespace commprof::transport::ofi {

struct Observed;

// Stands in an object's place for a table.
struct Copy {
  static constexpr std::size_t most_bytes = 256;  // larger tables are not understood
  alignas(16) unsigned char bytes[most_bytes];    // must be first: the object points here
  void* original;
  Observed* observed;
};

struct Observed {
  Object* object;
  Observed* parent;  // that this one was opened from
  Observed* vector;  // of addresses; bound to an endpoint
  std::uint32_t address_format;
  std::uint32_t number;       // from 1 on; of this record, which is used again
  Address address_mask;       // of a vector
  bool is_copied_by_aliases;  // an alias may use the copies after the object is closed
  bool is_used;
  Observed* following;
  Copy copies[slot_count];
};

// Gives the object copies of its tables. Returns nullptr without memory.
Observed* observe(Object* object, Observed* parent);
// Copies tables that the object did not have before. A provider may set others, as when an endpoint is enabled.
void copy_new_tables(Observed& observed);
// Gives the object its own tables back, before it closes.
void restore_tables(Observed& observed);
// The object is closed.
void release(Observed& observed);

// The record of an object; nullptr if it is not observed.
Observed* find(Object const* object);

// The record by which a function in one of the copies was called.
inline Copy const& copy_of(Object const* object, Slot slot) { return *static_cast<Copy const*>(object->tables[slot]); }
template <class Table>
Table const& original_of(Object const* object, Slot slot) {
  return *static_cast<Table const*>(copy_of(object, slot).original);
}

// Replaces a function in the copy of a table that has it.
template <class Table, class Function>
void replace(Observed& observed, Slot slot, Function* Table::*member, Function* function) {
  Copy& copy = observed.copies[slot];
  if (copy.original == nullptr) return;
  auto& table = *reinterpret_cast<Table*>(copy.bytes);
  auto const end = reinterpret_cast<unsigned char*>(&(table.*member) + 1);
  if (end > copy.bytes + table.size || table.*member == nullptr) return;
  table.*member = function;
}

// What an address names: the process that has it. bytes: as libfabric tells it.
WorkerId process_of(void const* bytes, std::size_t length, std::uint32_t address_format);

// The key of an address in a vector, for Endpoints; nullptr if there is none.
void const* key_of(Observed const& vector, Address address);
// The vector whose addresses a key is of.
inline std::uint64_t vector_of(void const* key) { return reinterpret_cast<std::uintptr_t>(key) >> 48; }

}  // namespace commprof::transport::ofi
