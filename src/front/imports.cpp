#include <dlfcn.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string_view>
#include <utility>

#include "front/front.hpp"

namespace commprof::front {

namespace {

using Import = DynamicSection::Import;

// The entry points that weak references of the loaded objects lead to.
struct WeakNumbers {
  std::size_t numbers[256];
  std::size_t count = 0;

  bool has(std::size_t number) const { return std::find(numbers, numbers + count, number) != numbers + count; }
  void add(std::size_t number) {
    if (number != entry_count() && count < std::size(numbers) && !has(number)) numbers[count++] = number;
  }
};

bool is_absent_for_all(Definition const& found) { return found.address == nullptr && !found.is_before_front; }

// In all objects that are loaded when the front is initialised.
void clear_references_to_absent() {
  WeakNumbers weak;
  is_any_loaded([&](dl_phdr_info const& object) {
    DynamicSection(object).for_each_undefined([&](char const* name, bool is_weak) {
      if (is_weak) weak.add(entry_of_mpi(name));
    });
    return false;
  });
  std::size_t const count = std::exchange(weak.count, 0);
  for (std::size_t i = 0; i < count; ++i)
    if (is_absent_for_all(owner(weak.numbers[i], nullptr))) weak.numbers[weak.count++] = weak.numbers[i];
  if (weak.count == 0) return;
  is_any_loaded([&](dl_phdr_info const& object) {
    DynamicSection(object).for_each_import([&](Import const& import) {
      std::size_t const number = import.is_weak ? entry_of_mpi(import.name) : entry_count();
      if (number != entry_count() && *import.slot == entry_address(number) && weak.has(number))
        write_slot(object, import.slot, nullptr);
    });
    return false;
  });
}

// Whether an object that refers weakly to an entry point finds no definition other than the front's.
bool is_absent_for(LoadedObject const& object, std::size_t number) {
  Definition const found = owner(number, nullptr);
  return is_absent_for_all(found) && (!found.is_elsewhere || !finds_behind_front(object, entry_name(number)));
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

std::size_t objects_of_start = 0;

[[gnu::constructor]] void begin() {
  clear_references_to_absent();
  objects_of_start = count_objects_of_start();
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
  if (!imports_mpi(dynamic, to_entries) || is_part_of_mpi(dynamic, info.dlpi_name))
    return false;  // no calls of the MPI's own
  bool found = false;
  dynamic.for_each_import([&](Import const& import) {
    found = found || change_of(import, entry_of_mpi(import.name), to_entries) != Change::none;
  });
  return found;
}

// Where calls through a slot go: to the function in it or, if the linker has yet to fill it, to what the linker will
// find. A tool that precedes the front in the global scope keeps its calls.
void const* function_called(LoadedObject const& object, Import const& import, bool is_of_start) {
  void const* const value = *import.slot;
  bool const is_filled = value == nullptr ? is_of_start : !object.contains(value);
  if (is_filled) return value;
  return is_of_start ? system_dlsym()(RTLD_DEFAULT, import.name) : object.find(import.name);
}

// is_function_of_mpi(), which searches all symbols of the MPI, for most functions by one look-up of the name.
bool is_of_mpi(void const* function, char const* name) {
  void* const mpi = profiled_mpi();
  return (mpi != nullptr && system_dlsym()(mpi, name) == function) || is_function_of_mpi(function);
}

void redirect(char const* path, bool is_of_start, bool to_entries) {
  LoadedObject const object(path);
  if (!object) return;
  dl_phdr_info segments{};
  auto const write = [&](void** slot, void* address) {
    if (segments.dlpi_phnum == 0) segments = object.segments();
    write_slot(segments, slot, address);
  };
  object.dynamic_section().for_each_import([&](Import const& import) {
    std::size_t const number = entry_of_mpi(import.name);
    switch (change_of(import, number, to_entries)) {
      case Change::none:
        break;
      case Change::clear:
        if (is_absent_for(object, number)) write(import.slot, nullptr);
        break;
      case Change::lead: {
        void const* const called = function_called(object, import, is_of_start);
        if (called != nullptr && is_of_mpi(called, import.name)) write(import.slot, instead_of_mpis_own(number));
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
  auto const is_wanted = [&](dl_phdr_info const& object) { return has_changes(object, to_entries); };
  LoadedList const early(is_wanted, looked_at, objects_of_start);
  LoadedList const late(is_wanted, std::max(looked_at, objects_of_start));
  if (early.counts() != counts || late.counts() != counts) return;
  bool const are_open = !early.is_empty() || !late.is_empty() || (holds && so_far.were_open);
  so_far = {counts, late.loaded_objects(), to_entries, is_profiled, are_open};
  early.for_each([&](char const* path) { redirect(path, true, to_entries); });
  late.for_each([&](char const* path) { redirect(path, false, to_entries); });
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

bool is_flavour(dl_phdr_info const& object) { return DynamicSection(object).defines_any({attach_symbol}); }

}  // namespace

void for_each_unknown_import(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                             void* context) {
  void* const mpi = profiled_mpi();
  if (mpi == nullptr) return;
  auto const may_be_missed = [&](char const* name) { return is_function_name(name) && !is_known(name); };
  auto const read_imports = [&](char const* path) {
    LoadedObject const object(path);
    if (!object) return;
    object.dynamic_section().for_each_undefined([&](char const* name, bool) {
      if (may_be_missed(name) && system_dlsym()(mpi, name) != nullptr) visit(context, name);
    });
  };
  read_imports(nullptr);  // the program itself
  // Most objects need not be opened.
  LoadedList const others([&](dl_phdr_info const& object) {
    bool found = false;
    if (!has_name_of_mpi(object) && !is_flavour(object))
      DynamicSection(object).for_each_undefined([&](char const* name, bool) { found = found || may_be_missed(name); });
    return found;
  });
  others.for_each(read_imports);
}

}  // namespace commprof::front
