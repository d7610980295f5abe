#include "sites/sites.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/dropped.hpp"
#include "base/hash.hpp"
#include "base/object_range.hpp"

namespace commprof {

namespace {

// Finds the build id among the notes in memory; each is a header, a name and a content, padded to words.
void read_build_id(std::uintptr_t notes, std::size_t bytes, char (&text)[LoadedModule::max_build_id + 1]) {
  auto const padded = [](std::size_t length) { return (length + 3) & ~std::size_t{3}; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    auto const* const note = reinterpret_cast<ElfW(Nhdr) const*>(notes + at);
    std::size_t const name = at + sizeof *note, content = name + padded(note->n_namesz);
    at = content + padded(note->n_descsz);
    bool const is_wanted = note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof ELF_NOTE_GNU && at <= bytes &&
                           std::memcmp(reinterpret_cast<void*>(notes + name), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (!is_wanted) continue;
    auto const* const id = reinterpret_cast<unsigned char const*>(notes + content);
    std::size_t const length = std::min<std::size_t>(note->n_descsz, LoadedModule::max_build_id / 2);
    for (std::size_t i = 0; i < length; ++i) std::snprintf(text + 2 * i, 3, "%02x", id[i]);
    return;
  }
}

}  // namespace

bool find_module(std::uintptr_t address, LoadedModule& found) {
  ObjectRange const object = ObjectRange::at(address);
  if (object.path == nullptr) return false;
  found.base = object.base;
  found.begin = object.begin;
  found.end = object.end;
  bool const is_program = *object.path == '\0';
  ssize_t const length = is_program ? readlink("/proc/self/exe", found.path, sizeof found.path - 1) : -1;
  if (length > 0) {
    found.path[length] = '\0';
  } else if (*object.path == '/' || realpath(object.path, found.path) == nullptr) {
    std::snprintf(found.path, sizeof found.path, "%s", object.path);
  }
  for (ElfW(Phdr) const* part = object.segments; part != object.segments + object.count; ++part)
    if (part->p_type == PT_NOTE && found.build_id[0] == '\0')
      read_build_id(object.base + part->p_vaddr, part->p_memsz, found.build_id);
  return true;
}

std::uint64_t unloaded_modules() {
  std::uint64_t number = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        *static_cast<std::uint64_t*>(data) = module->dlpi_subs;
        return 1;
      },
      &number);
  return number;
}

// The arena has room for every scope index that a key can hold.
static_assert(Arena<Sites::Scope, 8, 9>::capacity > most_scopes);

namespace {

std::uint32_t value_of(SiteIndex site) { return static_cast<std::uint32_t>(site) + 1; }
std::uint32_t value_of(ScopeIndex scope) { return static_cast<std::uint32_t>(scope) + 1; }

}  // namespace

bool Sites::start() {
  {
    std::lock_guard const lock(mutex_);
    if (sites_.size() == 0 && sites_.append() == nullptr) return false;
  }
  if (scopes_.size() == 0) find_or_add({}, ScopeIndex::main);
  return scopes_.size() > 0;
}

ScopeIndex Sites::find_or_add(Scope wanted, ScopeIndex otherwise) {
  std::uint64_t const key = key_of(wanted);
  bool const is_full = wanted.site != SiteIndex::none && are_scopes_full_.load(std::memory_order_acquire);
  if (std::uint32_t const known = known_scopes_.value_of(key, unknown); known != unknown) [[likely]]
    return static_cast<ScopeIndex>(known - 1);
  if (is_full) return otherwise;  // not entered: there may be as many as regions times sites
  std::lock_guard const lock(mutex_);
  if (std::uint32_t const known = known_scopes_.value_of(key, unknown); known != unknown)
    return static_cast<ScopeIndex>(known - 1);
  ScopeIndex const found = add(wanted, otherwise);
  known_scopes_.add(key, value_of(found));
  return found;
}

// Must be called with the lock held.
ScopeIndex Sites::add(Scope wanted, ScopeIndex otherwise) {
  bool const has_site = wanted.site != SiteIndex::none;
  std::size_t const index = scopes_.size();
  if (index > most_scopes || (has_site && scopes_with_site_ >= max_scopes_)) {
    if (has_site) are_scopes_full_.store(true, std::memory_order_release);
    return otherwise;
  }
  if (scopes_.append([=](Scope& made) { made = wanted; }) == nullptr) return otherwise;
  if (has_site) ++scopes_with_site_;
  return static_cast<ScopeIndex>(index);
}

ScopeIndex Sites::scope_of(RegionIndex of_region) {
  ScopeIndex const found = find_or_add({of_region, SiteIndex::none}, ScopeIndex::main);
  if (found == ScopeIndex::main && of_region != RegionIndex::main) dropped::count(Folded::regions);
  return found;
}

ScopeIndex Sites::scope_of(ScopeIndex around, void const* return_address) {
  if (max_scopes_ == 0) return around;
  SiteIndex const at = site_of(return_address);
  ScopeIndex const found = at == SiteIndex::none ? around : find_or_add({region(around), at}, around);
  if (found == around) dropped::count(Folded::sites);
  return found;
}

SiteIndex Sites::site_of(void const* return_address) { return site_of(&return_address, 1); }

SiteIndex Sites::site_of(void const* const* return_addresses, std::size_t count) {
  if (max_scopes_ == 0) return SiteIndex::none;
  SiteIndex site = SiteIndex::none;
  for (std::size_t i = count; i-- > 0;) {
    auto const address = reinterpret_cast<std::uintptr_t>(return_addresses[i]);
    site = is_site(address) ? site_at(address) : site_of(address, site);
  }
  return site;
}

SiteIndex Sites::site_of(std::uintptr_t address, SiteIndex caller) {
  std::uint64_t const key = key_of(address, caller);
  if (std::uint32_t const known = known_addresses_.value_of(key, unknown); known != unknown) [[likely]]
    return static_cast<SiteIndex>(known - 1);
  std::unique_lock lock(mutex_);
  follow_unloads(lock);
  std::uint32_t module = module_at(address - 1);
  if (module == no_module) module = add_module_at(address - 1, lock);
  SiteIndex const found =
      module == no_module ? SiteIndex::none : find_or_add({module, caller, address - 1 - modules_[module].base});
  keep_address(key, found);
  return found;
}

// Must be called with the lock held.
void Sites::keep_address(std::uint64_t key, SiteIndex site) {
  if (known_addresses_.value_of(key, unknown) != unknown) return;
  if (known_addresses_.size() == most_addresses) known_addresses_.clear();
  known_addresses_.add(key, value_of(site));
}

// A line is identified by a hash in place of an address.
SiteIndex Sites::site_of(SourceLine const& line, SiteIndex caller) {
  if (max_scopes_ == 0) return SiteIndex::none;
  std::uint64_t const of_place = hash_of(line.file) * 31 + hash_of(line.function);
  std::uint64_t const key = key_of((of_place * 31 + line.line) | std::uintptr_t{1} << 63, caller);
  if (std::uint32_t const known = known_addresses_.value_of(key, unknown); known != unknown) [[likely]]
    return static_cast<SiteIndex>(known - 1);
  std::lock_guard const lock(mutex_);
  std::uint32_t const module = line.function.empty() ? no_module : find_or_add_module(line.file, {}, line.function);
  SiteIndex const found = module == no_module ? SiteIndex::none : find_or_add({module, caller, line.line});
  keep_address(key, found);
  return found;
}

// Must be called with the lock held.
SiteIndex Sites::find_or_add(Site const& wanted) {
  auto const is_wanted = [&](SiteIndex site) {
    Site const& known = (*this)[site];
    return known.module == wanted.module && known.caller == wanted.caller && known.offset == wanted.offset;
  };
  SiteIndex* const slot = known_sites_.find_or_add(hash(wanted), is_wanted);
  if (slot == nullptr) return SiteIndex::none;
  if (*slot != SiteIndex::none) return *slot;
  std::size_t const index = sites_.size();
  if (!has_room_for_site() || sites_.append([&](Site& made) { made = wanted; }) == nullptr) {
    known_sites_.erase(*slot);
    return SiteIndex::none;
  }
  return *slot = static_cast<SiteIndex>(index);
}

void Sites::forget_addresses() {
  std::lock_guard const lock(mutex_);
  known_addresses_.clear();
}

// Forgets what may have been unloaded. Releases the lock while it asks the dynamic linker, which has a lock of its own.
[[gnu::cold, gnu::noinline]] void Sites::follow_unloads(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  std::uint64_t const unloads = unloaded_modules();
  lock.lock();
  if (unloads == unloads_) [[likely]]
    return;
  known_addresses_.clear();
  unloads_ = unloads;
}

// A module is identified by a hash. Without room for more sites, no module is added.
std::uint32_t Sites::find_or_add_module(std::string_view path, std::string_view build_id, std::string_view function) {
  std::uint64_t const key = (hash_of(path) * 31 + hash_of(build_id)) * 31 + hash_of(function);
  if (std::uint32_t const known = known_modules_.value_of(key, unknown); known != unknown) return known - 1;
  if (path.empty() || !has_room_for_site()) return no_module;
  Module const module{texts_.add(path), texts_.add(build_id), texts_.add(function)};
  auto const index = static_cast<std::uint32_t>(modules_.size());
  while (seen_at_.size() <= index)
    if (!seen_at_.push_back(never)) return no_module;
  if (module.path.length == 0 || modules_.append([&](Module& made) { made = module; }) == nullptr) return no_module;
  known_modules_.add(key, index + 1);
  return index;
}

// The module that was at the address when the latest unload was noticed, or since.
std::uint32_t Sites::module_at(std::uintptr_t address) const {
  for (std::size_t i = 0; i < modules_.size(); ++i)
    if (address - modules_[i].begin < modules_[i].end - modules_[i].begin && seen_at_.begin()[i] == unloads_)
      return static_cast<std::uint32_t>(i);
  return no_module;
}

// Releases the lock while it asks the dynamic linker, which has a lock of its own.
[[gnu::cold, gnu::noinline]] std::uint32_t Sites::add_module_at(std::uintptr_t address,
                                                                std::unique_lock<std::mutex>& lock) {
  LoadedModule loaded;
  std::uint64_t const unloads = unloads_;
  lock.unlock();
  bool const is_loaded = find_module(address, loaded);
  lock.lock();
  std::uint32_t const index = is_loaded ? find_or_add_module(loaded.path, loaded.build_id, {}) : no_module;
  if (index == no_module) return no_module;
  for (std::size_t i = 0; i < modules_.size(); ++i)  // those that were unloaded from here
    if (i != index && modules_[i].begin < loaded.end && loaded.begin < modules_[i].end)
      modules_[i].begin = modules_[i].end = 0;
  Module& module = modules_[index];
  module.base = loaded.base;
  module.begin = loaded.begin;
  module.end = loaded.end;
  seen_at_.begin()[index] = unloads;
  return index;
}

std::string_view Sites::module_name(std::uint32_t module) const {
  std::string_view const whole = path(module);
  return whole.substr(whole.rfind('/') + 1);
}

std::string_view Sites::name(SiteIndex site, char* room) const {
  constexpr std::string_view behind = " < ";
  constexpr int room_for_offset = 20;
  std::size_t length = 0;
  for (; site != SiteIndex::none && static_cast<std::size_t>(site) < sites_.size(); site = (*this)[site].caller) {
    Site const& known = (*this)[site];
    if (known.module >= modules_.size()) break;
    std::string_view module = module_name(known.module);
    std::size_t const left = max_name - length;
    if (length > 0 && module.size() + behind.size() + room_for_offset > left) break;
    module = module.substr(0, left - room_for_offset);
    bool const is_line = !function(known.module).empty();
    for (std::string_view const part : {length == 0 ? "" : behind, module, std::string_view(is_line ? ":" : "+0x")})
      length += part.copy(room + length, part.size());
    char* const end = std::to_chars(room + length, room + max_name, known.offset, is_line ? 10 : 16).ptr;
    length = static_cast<std::size_t>(end - room);
  }
  return {room, length};
}

bool Sites::restore_module(std::string_view path, std::string_view build_id, std::string_view function) {
  bool const is_whole = !path.empty();
  Module const module{texts_.add(is_whole ? path : "?"), texts_.add(build_id), texts_.add(function)};
  modules_.append([&](Module& made) { made = module; });
  return is_whole;
}

bool Sites::restore(Site const& site) {
  bool const is_whole =
      sites_.size() == 0 || (site.module < modules_.size() && static_cast<std::size_t>(site.caller) < sites_.size());
  sites_.append([&](Site& made) { made = is_whole ? site : Site{no_module, {}, 0}; });
  return is_whole;
}

bool Sites::restore(Scope scope, std::size_t regions) {
  bool const has_region = static_cast<std::size_t>(scope.region) < regions;
  bool const has_site = static_cast<std::size_t>(scope.site) < sites_.size();
  scopes_.append([&](Scope& made) {
    made = {has_region ? scope.region : RegionIndex::main, has_site ? scope.site : SiteIndex::none};
  });
  return has_region && has_site;
}

void Sites::release() {
  scopes_.release();
  sites_.release();
  modules_.release();
  texts_.release();
  known_sites_.release();
  known_addresses_.release();
  known_scopes_.release();
  known_modules_.release();
  seen_at_.release();
}

}  // namespace commprof
