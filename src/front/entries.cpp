#include "front/entries.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "front/entry_bytes.h"

// Defined in entries.S.
extern "C" {
[[gnu::visibility("hidden")]] extern char commprof_front_entries[];
[[gnu::visibility("hidden")]] extern std::atomic<void*> commprof_front_slots[];
}

namespace commprof::front {

namespace {

// Without pointers, which the dynamic linker would have to relocate in every process.
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

}  // namespace

std::size_t entry_count() { return std::size(offsets); }

char const* entry_name(std::size_t number) { return reinterpret_cast<char const*>(&names) + offsets[number]; }

std::size_t find_entry(std::string_view name) {
  auto const* const place =
      std::lower_bound(std::begin(offsets), std::end(offsets), name, [](std::size_t offset, std::string_view wanted) {
        return std::string_view(reinterpret_cast<char const*>(&names) + offset) < wanted;
      });
  if (place == std::end(offsets)) return entry_count();
  auto const number = static_cast<std::size_t>(place - offsets);
  return entry_name(number) == name ? number : entry_count();
}

void* entry_address(std::size_t number) { return commprof_front_entries + number * ENTRY_BYTES; }

void lead_entry(std::size_t number, void* target) {
  commprof_front_slots[number].store(target, std::memory_order_release);
}

}  // namespace commprof::front
