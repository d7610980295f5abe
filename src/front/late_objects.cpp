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

// What may have to be done with an import.
enum class Change { none, clear, lead };

// number: of the import's entry point.
Change change_of(DynamicSection::Import const& import, std::size_t number, bool to_entries) {
  if (number == entry_count() || import.addend != 0) return Change::none;
  if (*import.slot == entry_address(number)) return import.is_weak ? Change::clear : Change::none;
  return to_entries ? Change::lead : Change::none;
}

// Without entry points to lead to, only weak references matter.
bool imports_mpi(DynamicSection const& dynamic, bool to_entries) {
  bool found = false;
  dynamic.for_each_undefined([&](char const* name, bool is_weak) {
    if (is_weak || to_entries) found = found || entry_of_mpi(name) != entry_count();
  });
  return found;
}

// Slots that the linker has not filled yet look as if they had to be changed.
bool has_changes(dl_phdr_info const& info, bool to_entries) {
  DynamicSection const dynamic(info);
  if (!imports_mpi(dynamic, to_entries) || is_part_of_mpi(dynamic, info.dlpi_name))
    return false;  // no calls of the MPI's own
  bool found = false;
  dynamic.for_each_import([&](DynamicSection::Import const& import) {
    found = found || change_of(import, entry_of_mpi(import.name), to_entries) != Change::none;
  });
  return found;
}

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
    switch (change_of(import, number, to_entries)) {
      case Change::none:
        break;
      case Change::clear:
        if (is_absent_for(object, number)) write(import.slot, nullptr);
        break;
      case Change::lead: {
        void const* const found = object.find(import.name);
        if (found != nullptr && is_of_mpi(found, import.name)) write(import.slot, instead_of_mpis_own(number));
        break;
      }
    }
  });
}

// The objects that are redirected, and what decides which of their slots are.
struct Redirected {
  LoadCounts counts;
  std::size_t objects = 0;  // loaded ones, the first of all
  bool to_entries = false;
  bool is_profiled = false;
  bool were_open = false;  // some objects had slots to be looked at; others stay as they are
};

// Whether calls lead to entry points: an MPI is loaded, and the profiler is on.
bool leads_to_entries(Redirected const& before, LoadCounts counts) {
  if (is_switched_off()) return false;
  return (before.to_entries && counts.unloaded == before.counts.unloaded) || is_any_loaded(has_name_of_mpi);
}

// Redirects what is new, unless another thread loads or unloads objects meanwhile.
void redirect_new(Redirected& so_far, LoadCounts counts) {
  bool const to_entries = leads_to_entries(so_far, counts), is_profiled = profiled_mpi() != nullptr;
  bool const holds = so_far.to_entries == to_entries && (so_far.is_profiled == is_profiled || !so_far.were_open);
  // The dynamic linker appends what it loads. So of these objects the first ones are still the first, however many of
  // them have been unloaded.
  std::size_t const unloaded = counts.unloaded - so_far.counts.unloaded;
  std::size_t const looked_at = holds ? so_far.objects - std::min(so_far.objects, unloaded) : 0;
  LoadedList const list([&](dl_phdr_info const& object) { return has_changes(object, to_entries); }, looked_at);
  if (list.counts() != counts) return;
  so_far = {counts, list.loaded_objects(), to_entries, is_profiled, !list.is_empty() || (holds && so_far.were_open)};
  list.for_each([&](char const* path) { redirect(path, to_entries); });
}

}  // namespace

void redirect_late_objects() {
  static std::atomic<bool> is_under_way{false};
  static Redirected so_far;
  if (is_under_way.exchange(true, std::memory_order_acquire)) return;
  for (LoadCounts counts = LoadCounts::now(); counts != so_far.counts; counts = LoadCounts::now()) {
    forget_unloaded(counts);  // the last one that held an object may be this file
    redirect_new(so_far, counts);
  }
  is_under_way.store(false, std::memory_order_release);
}

}  // namespace commprof::front
