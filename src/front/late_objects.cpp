#include "front/late_objects.hpp"

#include <atomic>
#include <iterator>

#include "front/entries.hpp"
#include "front/front.hpp"
#include "front/loaded_list.hpp"
#include "front/mpi_of_process.hpp"

namespace commprof::front {

namespace {

// A cache of the objects that import no entry point, nearly all objects: the hash of each, at a place given by the
// hash.
std::atomic<std::uint64_t> without_imports[2048];

std::uint64_t hash_of(dl_phdr_info const& info) {
  std::uint64_t hash = info.dlpi_addr;
  for (char const* c = info.dlpi_name; *c != '\0'; ++c)
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x9E3779B97F4A7C15ULL;
  return hash | 1;
}

// The number of the entry point that an import is, or entry_count().
std::size_t entry_of(char const* name) { return *name == 'M' || *name == 'm' ? find_entry(name) : entry_count(); }

bool imports_entries(dl_phdr_info const& info) {
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    bool found = false;
    DynamicSection const dynamic(info.dlpi_addr,
                                 reinterpret_cast<ElfW(Dyn) const*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr));
    dynamic.for_each_import(
        [&](char const* name, void**, std::ptrdiff_t) { found = found || entry_of(name) != entry_count(); });
    return found;
  }
  return false;
}

bool may_import_entries(dl_phdr_info const& info) {
  if (is_named_as_mpi(info.dlpi_name)) return false;  // its calls of itself must not be redirected
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

void redirect(char const* path) {
  LoadedObject const object(path);
  if (!object) return;
  object.dynamic_section().for_each_import([&](char const* name, void** slot, std::ptrdiff_t addend) {
    std::size_t const number = entry_of(name);
    if (number == entry_count() || addend != 0 || *slot == entry_address(number)) return;
    void const* const found = object.find(name);
    if (found != nullptr && is_function_of_mpi(found)) object.write(slot, entry_address(number));
  });
}

}  // namespace

void redirect_late_objects() {
  static std::atomic<bool> is_under_way{false};
  static LoadCounts counts_of_last_time;
  if (is_under_way.exchange(true, std::memory_order_acquire)) return;
  for (LoadCounts counts = LoadCounts::now(); counts != counts_of_last_time; counts = LoadCounts::now()) {
    counts_of_last_time = counts;
    if (!has_mpi()) continue;
    LoadedList const list(may_import_entries);
    list.for_each(redirect);
  }
  is_under_way.store(false, std::memory_order_release);
}

}  // namespace commprof::front
