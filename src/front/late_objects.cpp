#include "front/late_objects.hpp"

#include <atomic>
#include <iterator>

#include "front/absent.hpp"
#include "front/entries.hpp"
#include "front/front.hpp"
#include "front/loaded_list.hpp"
#include "front/mpi_of_process.hpp"

namespace commprof::front {

namespace {

// A cache of objects that import no entry point (nearly all objects): the hash of each, at an index given by the hash.
std::atomic<std::uint64_t> without_imports[2048];

std::uint64_t hash_of(dl_phdr_info const& info) {
  std::uint64_t hash = info.dlpi_addr;
  for (char const* c = info.dlpi_name; *c != '\0'; ++c)
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x9E3779B97F4A7C15ULL;
  return hash | 1;
}

bool imports_entries(dl_phdr_info const& info) {
  bool found = false;
  DynamicSection(info).for_each_undefined(
      [&](char const* name, bool) { found = found || entry_of_mpi(name) != entry_count(); });
  return found;
}

bool may_import_entries(dl_phdr_info const& info) {
  if (is_named_as_mpi(info.dlpi_name)) return false;  // its own calls must not be redirected
  std::uint64_t const hash = hash_of(info);
  std::atomic<std::uint64_t>& place = without_imports[hash >> 32 & (std::size(without_imports) - 1)];
  if (place.load(std::memory_order_relaxed) == hash) return false;
  if (imports_entries(info)) return true;
  place.store(hash, std::memory_order_relaxed);
  return false;
}

bool has_mpi() {
  auto const is_mpi = [](dl_phdr_info* info, std::size_t, void*) { return is_named_as_mpi(info->dlpi_name) ? 1 : 0; };
  return dl_iterate_phdr(is_mpi, nullptr) != 0;
}

void redirect(char const* path, bool to_entries) {
  LoadedObject const object(path);
  if (!object) return;
  object.dynamic_section().for_each_import([&](DynamicSection::Import const& import) {
    std::size_t const number = entry_of_mpi(import.name);
    if (number == entry_count() || import.addend != 0) return;
    if (*import.slot == entry_address(number)) {
      if (import.is_weak && is_absent_for(object, number)) object.write(import.slot, nullptr);
    } else if (to_entries) {
      void const* const found = object.find(import.name);
      if (found != nullptr && is_function_of_mpi(found)) object.write(import.slot, entry_address(number));
    }
  });
}

}  // namespace

void redirect_late_objects() {
  static std::atomic<bool> is_under_way{false};
  static LoadCounts counts_of_last_time;
  if (is_under_way.exchange(true, std::memory_order_acquire)) return;
  for (LoadCounts counts = LoadCounts::now(); counts != counts_of_last_time; counts = LoadCounts::now()) {
    counts_of_last_time = counts;
    bool const to_entries = has_mpi() && !is_switched_off();
    LoadedList const list(may_import_entries);
    list.for_each([&](char const* path) { redirect(path, to_entries); });
  }
  is_under_way.store(false, std::memory_order_release);
}

}  // namespace commprof::front
