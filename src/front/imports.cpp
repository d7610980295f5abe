#include <dlfcn.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <string_view>

#include "front/front.hpp"

namespace commprof::front {

namespace {

using Import = DynamicSection::Import;

// Whether an object that refers weakly to an entry point finds no definition other than the front's. object: nullptr if
// it is of the program's start.
bool is_absent_for(LoadedObject const* object, std::size_t number) {
  Definition const found = owner(number, nullptr);
  if (found.address != nullptr || found.is_before_front) return false;
  return !found.is_elsewhere || object == nullptr || !finds_behind_front(*object, entry_name(number));
}

// The number of objects that the dynamic linker loaded with the program: these search the global scope first. 0 if the
// front came later: then it follows the dynamic linker in the list.
std::size_t count_objects_of_start() {
  ElfW(Addr) const linker = getauxval(AT_BASE);
  void const* const front = own_base();
  std::size_t count = 0;
  bool is_behind_linker = false, is_late = linker == 0;  // 0: the program was started by a call of the linker
  is_any_loaded([&](dl_phdr_info const& object) {
    ++count;
    if (reinterpret_cast<void const*>(object.dlpi_addr) == front) is_late |= is_behind_linker;
    is_behind_linker |= object.dlpi_addr == linker;
    return false;
  });
  return is_late ? 0 : count;
}

// What may have to be done with an import.
enum class Change { none, clear, lead };

// number: of the import's entry point.
Change change_of(Import const& import, std::size_t number, bool to_entries) {
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
  if (!imports_mpi(dynamic, to_entries)) return false;
  if (to_entries && is_part_of_mpi(dynamic, info.dlpi_name)) return false;  // no calls of the MPI's own
  bool found = false;
  dynamic.for_each_import([&](Import const& import) {
    found = found || change_of(import, entry_of_mpi(import.name), to_entries) != Change::none;
  });
  return found;
}

// Where calls through a slot go: to the function in it or, if the linker has yet to fill it, to what the linker will
// find.
void const* function_called(LoadedObject const& object, Import const& import) {
  void const* const value = *import.slot;
  return value != nullptr && !object.contains(value) ? value : object.find(import.name);
}

// is_function_of_mpi(), which searches all symbols of the MPI, for most functions by one look-up of the name.
bool is_of_mpi(void const* function, char const* name) {
  void* const mpi = profiled_mpi();
  return (mpi != nullptr && system_dlsym()(mpi, name) == function) || is_function_of_mpi(function);
}

void redirect(char const* path, bool to_entries) {
  LoadedObject const object(*path == '\0' ? nullptr : path);  // the program itself has no name
  if (!object) return;
  object.dynamic_section().for_each_import([&](Import const& import) {
    std::size_t const number = entry_of_mpi(import.name);
    switch (change_of(import, number, to_entries)) {
      case Change::none:
        break;
      case Change::clear:
        if (is_absent_for(&object, number)) write_slot(import.slot, nullptr);
        break;
      case Change::lead: {
        void const* const called = function_called(object, import);
        bool const passes_by = called != nullptr && is_of_mpi(called, import.name);
        if (void* const entry = passes_by ? instead_of_mpis_own(number) : nullptr) write_slot(import.slot, entry);
        break;
      }
    }
  });
}

std::size_t objects_of_start = 0;

[[gnu::constructor]] void begin() {
  // Opening an object would run its constructors, which must come later.
  auto const refers_to_absent = [](dl_phdr_info const& object) { return has_changes(object, false); };
  for_each_loaded(refers_to_absent, [](char const*, DynamicSection const& dynamic) {
    dynamic.for_each_import([](Import const& import) {
      std::size_t const number = entry_of_mpi(import.name);
      if (change_of(import, number, false) == Change::clear && is_absent_for(nullptr, number))
        write_slot(import.slot, nullptr);
    });
  });
  objects_of_start = count_objects_of_start();
}

// The objects that are redirected, and what decides which of their slots are.
struct Redirected {
  LoadCounts counts;
  bool to_entries = false;
  bool is_profiled = false;
};

// Whether calls lead to entry points: an MPI is loaded, and the profiler is on.
bool leads_to_entries(Redirected const& before, LoadCounts counts) {
  if (is_switched_off()) return false;
  return (before.to_entries && counts.unloaded == before.counts.unloaded) || is_any_loaded(has_name_of_mpi);
}

// Redirects what is new. The calls of objects of the start go through the global scope, to the front or to a tool
// before it.
void redirect_new(Redirected& so_far, LoadCounts counts) {
  bool const to_entries = leads_to_entries(so_far, counts), is_profiled = profiled_mpi() != nullptr;
  bool const holds = so_far.to_entries == to_entries && so_far.is_profiled == is_profiled;
  // The objects that were looked at come first, less as many as have been unloaded since.
  std::size_t const unloaded = counts.unloaded - so_far.counts.unloaded, known = so_far.counts.objects();
  std::size_t const looked_at = holds ? known - std::min(known, unloaded) : 0;
  so_far = {counts, to_entries, is_profiled};
  for_each_loaded([&](dl_phdr_info const& object) { return has_changes(object, to_entries); },
                  [&](char const* path, DynamicSection const&) { redirect(path, to_entries); },
                  std::max(looked_at, objects_of_start));
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

namespace {

// Names of functions have a lower-case letter; other symbols of MPI are in capitals.
bool is_function_name(std::string_view name) {
  if (!name.starts_with("MPI_") && !name.starts_with("MPIX_")) return false;
  return std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

void for_each_unknown_import(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                             void* context) {
  void* const mpi = profiled_mpi();
  link_map* map = nullptr;
  if (mpi == nullptr || dlinfo(mpi, RTLD_DI_LINKMAP, &map) != 0) return;
  DynamicSection const of_mpi(map->l_addr, map->l_ld);
  is_any_loaded([&](dl_phdr_info const& object) {
    DynamicSection const dynamic(object);
    if (has_name_of_mpi(object) || dynamic.defines_any({attach_symbol})) return false;
    dynamic.for_each_undefined([&](char const* name, bool) {
      bool const is_unknown = is_function_name(name) && !is_known(name);
      if (is_unknown && of_mpi.find(name, gnu_hash(name)) != nullptr) visit(context, name);
    });
    return false;
  });
}

}  // namespace commprof::front
