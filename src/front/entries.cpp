#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "front/front.hpp"

// Symbols of entries.S.
extern "C" {
[[gnu::visibility("hidden")]] extern char commprof_front_entries[];
[[gnu::visibility("hidden")]] extern std::atomic<void*> commprof_front_slots[];
}

namespace commprof::front {

namespace {

// Contains no pointers, which the dynamic linker would have to relocate in every process.
constexpr struct Names {
#define ENTRY(name) char of_##name[sizeof #name];
#include "entry_list.inc"
#undef ENTRY
} names{
#define ENTRY(name) #name,
#include "entry_list.inc"
#undef ENTRY
};

constexpr std::size_t offsets[] = {
#define ENTRY(name) offsetof(Names, of_##name),
#include "entry_list.inc"
#undef ENTRY
};

constexpr std::uint32_t hashes[] = {
#define ENTRY(name) gnu_hash(#name),
#include "entry_list.inc"
#undef ENTRY
};

// A hash table of entry points. It stores the number plus one, at the hash's place or after it; 0 is an empty place.
constexpr std::size_t place_count = std::bit_ceil(4 * std::size(hashes));
static_assert(std::size(hashes) < UINT16_MAX);
constexpr std::size_t first_place(std::uint32_t hash) { return hash & (place_count - 1); }
constexpr std::size_t next_place(std::size_t place) { return (place + 1) & (place_count - 1); }
constexpr auto places = [] {
  std::array<std::uint16_t, place_count> result{};
  for (std::size_t number = 0; number < std::size(hashes); ++number) {
    std::size_t place = first_place(hashes[number]);
    while (result[place] != 0) place = next_place(place);
    result[place] = static_cast<std::uint16_t>(number + 1);
  }
  return result;
}();

}  // namespace

std::size_t entry_count() { return std::size(offsets); }

char const* entry_name(std::size_t number) { return reinterpret_cast<char const*>(&names) + offsets[number]; }

std::uint32_t entry_hash(std::size_t number) { return hashes[number]; }

std::size_t find_entry(char const* name) {
  std::uint32_t const hash = gnu_hash(name);
  for (std::size_t place = first_place(hash); places[place] != 0; place = next_place(place)) {
    std::size_t const number = places[place] - 1U;
    if (hashes[number] == hash && std::strcmp(entry_name(number), name) == 0) return number;
  }
  return entry_count();
}

void* entry_address(std::size_t number) { return commprof_front_entries + number * ENTRY_BYTES; }

void lead_entry(std::size_t number, void* target) {
  commprof_front_slots[number].store(target, std::memory_order_release);
}

void* entry_target(std::size_t number) { return commprof_front_slots[number].load(std::memory_order_relaxed); }

}  // namespace commprof::front
