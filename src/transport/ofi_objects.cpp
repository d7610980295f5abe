#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "transport/ofi.hpp"

namespace commprof::transport::ofi {

namespace {

std::mutex objects_mutex;
Observed* all_objects = nullptr;
std::uint32_t object_count = 0;
constexpr std::uint32_t most_objects = 0xFFFF;  // so that a number has room beside an address of 48 bits

unsigned tables_of(Object const& object) { return object.kind == kind::endpoint ? slot_count : of_kind + 1; }

}  // namespace

Observed* observe(Object* object, Observed const* parent) {
  std::lock_guard const lock(objects_mutex);
  auto* const made = object_count == most_objects ? nullptr : static_cast<Observed*>(map_pages(sizeof(Observed)));
  if (made == nullptr) return nullptr;
  made->object = object;
  made->address_format = parent == nullptr ? 0 : parent->address_format;
  made->number = ++object_count;
  made->following = all_objects;
  copy_new_tables(*made);
  return all_objects = made;
}

void copy_new_tables(Observed& observed) {
  for (unsigned slot = 0; slot < tables_of(*observed.object); ++slot) {
    void*& table = observed.object->tables[slot];
    Copy& copy = observed.copies[slot];
    if (table == nullptr || table == &copy) continue;
    std::size_t const size = *static_cast<std::size_t const*>(table);
    copy.original = nullptr;
    if (size < sizeof(std::size_t) || size > Copy::most_bytes) continue;
    std::memcpy(copy.bytes, table, size);
    copy.original = table;
    copy.observed = &observed;
    table = &copy;
  }
}

void release(Observed& observed) {
  for (unsigned slot = 0; slot < tables_of(*observed.object); ++slot)
    if (observed.object->tables[slot] == &observed.copies[slot])
      observed.object->tables[slot] = observed.copies[slot].original;
  std::lock_guard const lock(objects_mutex);
  observed.object = nullptr;
}

Observed* find(Object const* object) {
  std::lock_guard const lock(objects_mutex);
  for (Observed* one = all_objects; one != nullptr; one = one->following)
    if (one->object == object) return one;
  return nullptr;
}

// Two addresses of sockets are the same if family, port and host are: the rest may be padding.
WorkerId process_of(void const* bytes, std::size_t length, std::uint32_t address_format) {
  std::string_view text(static_cast<char const*>(bytes), length);
  sa_family_t family = AF_UNSPEC;
  bool const is_of_socket = address_format >= socket_address && address_format <= socket_address_6;
  if (is_of_socket && length >= sizeof family) std::memcpy(&family, bytes, sizeof family);
  std::uint64_t hash = 0;
  if (family == AF_INET && length >= 8) hash = hash_of(text.substr(0, 8));
  else if (family == AF_INET6 && length >= 24)
    hash = hash_of(text.substr(0, 4)) + scattered(hash_of(text.substr(8, 16)));
  else hash = hash_of(address_format == text_address ? text.substr(0, text.find('\0')) : text);
  return static_cast<WorkerId>(std::max<std::uint64_t>(hash, 2));
}

void const* key_of(Observed const& vector, Address address) {
  constexpr unsigned bits = 48;
  auto const plain = static_cast<std::uint64_t>(address);
  if (plain >> bits != 0) return nullptr;
  return reinterpret_cast<void const*>(std::uintptr_t{vector.number} << bits | plain);
}

}  // namespace commprof::transport::ofi
