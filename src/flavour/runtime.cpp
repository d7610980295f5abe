// The few functions of a C++ runtime library that the compiler and the standard headers need. With these, a flavour
// needs only libc. A libstdc++ loaded by us could be another version than a plugin of the program needs, and a static
// one allocates memory when it is loaded. And the function by which the front attaches the flavour.
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "base/compiler.hpp"
#include "flavour/flavour.hpp"

// These are called only for errors in our own code: we lock no mutex twice, and cut no text beyond its end.
namespace std {
void __throw_system_error(int) { abort(); }
void __throw_out_of_range_fmt(char const*, ...) { abort(); }
void __throw_bad_optional_access() { abort(); }
}  // namespace std

// Guards of static local variables, as in the Itanium C++ ABI (3.3.3): the first byte says whether the variable is
// initialised. The following bytes are ours and say whether a thread is initialising it.
namespace {
struct Guard {
  std::uint8_t is_made;
  std::uint8_t unused[3];
  std::uint32_t is_being_made;
};
static_assert(sizeof(Guard) == sizeof(std::uint64_t));
}  // namespace

extern "C" {

int __cxa_guard_acquire(Guard* guard) {
  for (;;) {
    if (std::atomic_ref(guard->is_made).load(std::memory_order_acquire) != 0) return 0;
    if (std::atomic_ref(guard->is_being_made).exchange(1, std::memory_order_acquire) == 0) break;
    sched_yield();
  }
  if (std::atomic_ref(guard->is_made).load(std::memory_order_acquire) == 0) return 1;
  std::atomic_ref(guard->is_being_made).store(0, std::memory_order_release);
  return 0;
}

void __cxa_guard_release(Guard* guard) {
  std::atomic_ref(guard->is_made).store(1, std::memory_order_release);
  std::atomic_ref(guard->is_being_made).store(0, std::memory_order_release);
}

// The bounds of the section, defined by the linker.
// NOLINTNEXTLINE(readability-identifier-naming)
[[gnu::visibility("hidden")]] extern commprof::front::NextDefinition __start_commprof_next[], __stop_commprof_next[];

COMMPROF_EXPORT void commprof_flavour_attach(commprof::front::Services* services) {
  services->first_next = __start_commprof_next;
  services->end_of_next = __stop_commprof_next;
  commprof::front_services = services;
  commprof::at_load = services->at_load;
}

}  // extern "C"
