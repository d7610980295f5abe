#include "transport/generic_types.hpp"

#include <mutex>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "base/open_slots.hpp"

namespace commprof::transport::generic_types {

namespace {

// Parts of one datatype after the other: an owner frees datatypes and makes others in their places. They stay.
std::mutex mutex;
constinit Arena<Parts, 6, 26> all;
struct Place {
  Parts* parts = nullptr;
  explicit operator bool() const { return parts != nullptr; }
};
constinit OpenSlots<Place> places;

std::uint64_t hash_of_place(Place const& place) {
  return scattered(reinterpret_cast<std::uintptr_t>(place.parts->context));
}

void* start_pack(void* context, void const* buffer, std::size_t count) {
  Parts const& type = *static_cast<Parts const*>(context);
  void* const state = type.operations.start_pack(type.context, buffer, count);
  latest_size = type.operations.packed_size(state);
  return state;
}

void* start_unpack(void* context, void* buffer, std::size_t count) {
  Parts const& type = *static_cast<Parts const*>(context);
  return type.operations.start_unpack(type.context, buffer, count);
}

bool are_alike(Parts const& a, Parts const& b) {
  ucx::GenericOperations const &one = a.operations, &other = b.operations;
  return a.context == b.context && one.start_pack == other.start_pack && one.start_unpack == other.start_unpack &&
         one.packed_size == other.packed_size;
}

}  // namespace

Parts observed(Parts const& of_owner) {
  std::lock_guard const lock(mutex);
  Place* const place = places.find_or_room(
      scattered(reinterpret_cast<std::uintptr_t>(of_owner.context)), all.size(),
      [&](Place const& one) { return are_alike(*one.parts, of_owner); }, hash_of_place);
  if (place == nullptr) return of_owner;
  if (place->parts == nullptr) place->parts = all.append([&](Parts& made) { made = of_owner; });
  if (place->parts == nullptr) return of_owner;
  Parts result{of_owner.operations, place->parts};
  result.operations.start_pack = start_pack;
  result.operations.start_unpack = start_unpack;
  return result;
}

}  // namespace commprof::transport::generic_types
