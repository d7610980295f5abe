#include "front/late_objects.hpp"

#include <algorithm>
#include <atomic>

#include "front/absent.hpp"
#include "front/entries.hpp"
#include "front/front.hpp"
#include "front/loaded_list.hpp"
#include "front/mpi_of_process.hpp"

namespace commprof::front {

namespace {

bool is_redirected(dl_phdr_info const& info) {
  DynamicSection const dynamic(info);
  if (is_part_of_mpi(dynamic, info.dlpi_name)) return false;  // its own calls must not be redirected
  bool found = false;
  dynamic.for_each_undefined([&](char const* name, bool) { found = found || entry_of_mpi(name) != entry_count(); });
  return found;
}

bool is_mpi(dl_phdr_info const& info) { return is_named_as_mpi(info.dlpi_name); }

// is_function_of_mpi(), which searches all symbols of the MPI, for most functions by one look-up of the name.
bool is_of_mpi(void const* function, char const* name) {
  void* const mpi = profiled_mpi();
  return (mpi != nullptr && system_dlsym()(mpi, name) == function) || is_function_of_mpi(function);
}

void redirect(char const* path, bool to_entries) {
  LoadedObject const object(path);
  if (!object) return;
  dl_phdr_info segments{};
  auto const write = [&](void** slot, void* address) {
    if (segments.dlpi_phnum == 0) segments = object.segments();
    LoadedObject::write(segments, slot, address);
  };
  object.dynamic_section().for_each_import([&](DynamicSection::Import const& import) {
    std::size_t const number = entry_of_mpi(import.name);
    if (number == entry_count() || import.addend != 0) return;
    if (*import.slot == entry_address(number)) {
      if (import.is_weak && is_absent_for(object, number)) write(import.slot, nullptr);
    } else if (to_entries) {
      void const* const found = object.find(import.name);
      if (found != nullptr && is_of_mpi(found, import.name)) write(import.slot, instead_of_mpis_own(number));
    }
  });
}

// What decides which slots of an object are redirected. A change makes all objects new.
struct Situation {
  bool to_entries = false;
  bool is_profiled = false;

  friend bool operator==(Situation const&, Situation const&) = default;
};

}  // namespace

void redirect_late_objects() {
  static std::atomic<bool> is_under_way{false};
  static LoadCounts counts_of_last_time;
  static Situation situation_of_last_time;
  if (is_under_way.exchange(true, std::memory_order_acquire)) return;
  for (LoadCounts counts = LoadCounts::now(); counts != counts_of_last_time; counts = LoadCounts::now()) {
    LoadedObjects const all = LoadedObjects::now(is_mpi);
    Situation const situation{all.wanted > 0 && !is_switched_off(), profiled_mpi() != nullptr};
    std::size_t const loaded =
        situation == situation_of_last_time ? counts.loaded - counts_of_last_time.loaded : all.count;
    LoadedList const list(is_redirected, all.count - std::min(loaded, all.count));
    if (LoadCounts::now() != counts) continue;  // by another thread: the list has other objects now
    counts_of_last_time = counts;
    situation_of_last_time = situation;
    list.for_each([&](char const* path) { redirect(path, situation.to_entries); });
  }
  is_under_way.store(false, std::memory_order_release);
}

}  // namespace commprof::front
