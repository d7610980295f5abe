#include "sites/sites.hpp"

#include <algorithm>
#include <cstdio>

#include "base/dropped.hpp"
#include "base/hash.hpp"
#include "sites/modules.hpp"

namespace commprof {

// Every index of the key has room.
static_assert(Arena<Sites::Scope, 8, 9>::capacity > most_scopes);

bool Sites::start() {
  std::lock_guard const lock(mutex_);
  if (sites_.size() == 0 && sites_.append() == nullptr) return false;
  if (scopes_.size() == 0) find_or_add({}, ScopeIndex::main);
  return scopes_.size() > 0;
}

// Requires the lock.
ScopeIndex Sites::find_or_add(Scope wanted, ScopeIndex otherwise) {
  ScopeSlot* const slot = known_scopes_.find_or_room(
      hash(wanted), scopes_.size(),
      [=](ScopeSlot const& other) { return other.what.region == wanted.region && other.what.site == wanted.site; },
      [](ScopeSlot const& other) { return hash(other.what); });
  if (slot == nullptr) return otherwise;
  if (slot->is_taken) return slot->scope;
  bool const has_site = wanted.site != SiteIndex::none;
  std::size_t const index = scopes_.size();
  if (index > most_scopes || (has_site && scopes_with_site_ >= max_scopes_)) return otherwise;
  if (scopes_.append([=](Scope& made) { made = wanted; }) == nullptr) return otherwise;
  if (has_site) ++scopes_with_site_;
  *slot = {true, wanted, static_cast<ScopeIndex>(index)};
  return slot->scope;
}

ScopeIndex Sites::scope_of(RegionIndex of_region) {
  std::lock_guard const lock(mutex_);
  ScopeIndex const found = find_or_add({of_region, SiteIndex::none}, ScopeIndex::main);
  if (found == ScopeIndex::main && of_region != RegionIndex::main) dropped::count(Folded::regions);
  return found;
}

ScopeIndex Sites::scope_of(ScopeIndex around, void const* return_address) {
  if (max_scopes_ == 0) return around;
  SiteIndex const at = site_of(return_address);
  ScopeIndex found = around;
  if (at != SiteIndex::none) {
    std::lock_guard const lock(mutex_);
    found = find_or_add({region(around), at}, around);
  }
  if (found == around) dropped::count(Folded::sites);
  return found;
}

SiteIndex Sites::site_of(void const* return_address) { return site_of(&return_address, 1); }

SiteIndex Sites::site_of(void const* const* return_addresses, std::size_t count) {
  if (max_scopes_ == 0) return SiteIndex::none;
  std::unique_lock lock(mutex_);
  SiteIndex site = SiteIndex::none;
  for (std::size_t i = count; i-- > 0;) {
    auto const address = reinterpret_cast<std::uintptr_t>(return_addresses[i]);
    site = is_site(address) ? site_at(address) : find_or_add(address, site, lock);
  }
  return site;
}

// Requires the lock.
SiteIndex Sites::find_or_add(std::uintptr_t address, SiteIndex caller, std::unique_lock<std::mutex>& lock) {
  std::uint32_t module = module_at(address - 1);
  if (module == no_module) module = add_module_at(address - 1, lock);
  if (module == no_module) return SiteIndex::none;
  SiteSlot* const slot = slot_of(address, caller);
  if (slot == nullptr) return SiteIndex::none;
  return slot->address != 0 ? slot->site
                            : add({address, caller, {}}, module, address - 1 - modules_[module].base, *slot);
}

// A line is known by a hash in place of an address, of which half of all can be none.
SiteIndex Sites::site_of(SourceLine const& line, SiteIndex caller) {
  if (max_scopes_ == 0) return SiteIndex::none;
  std::uint64_t const of_place = hash_of(line.file) * 31 + hash_of(line.function);
  std::uintptr_t const address = (of_place * 31 + line.line) | std::uintptr_t{1} << 63;
  std::lock_guard const lock(mutex_);
  SiteSlot* const slot = slot_of(address, caller);
  if (slot == nullptr) return SiteIndex::none;
  if (slot->address != 0) return slot->site;
  std::uint32_t const module = find_or_add_source(line);
  return module == no_module ? SiteIndex::none : add({address, caller, {}}, module, line.line, *slot);
}

// What has the key, or room for it; null when memory is used up.
Sites::SiteSlot* Sites::slot_of(std::uintptr_t address, SiteIndex caller) {
  return known_sites_.find_or_room(
      hash(address, caller), sites_.size(),
      [=](SiteSlot const& other) { return other.address == address && other.caller == caller; },
      [](SiteSlot const& other) { return hash(other.address, other.caller); });
}

SiteIndex Sites::add(SiteSlot const& known, std::uint32_t module, std::uint64_t offset, SiteSlot& slot) {
  std::size_t const index = sites_.size();
  Site* const made = index > std::min(max_scopes_, most_scopes) ? nullptr : sites_.append([&](Site& site) {
    site = {module, known.caller, offset};
  });
  if (made == nullptr) return SiteIndex::none;
  slot = {known.address, known.caller, static_cast<SiteIndex>(index)};
  return slot.site;
}

std::uint32_t Sites::find_or_add_source(SourceLine const& line) {
  if (line.file.empty() || line.function.empty()) return no_module;
  for (std::uint32_t i = 0; i < modules_.size(); ++i)
    if (function(i) == line.function && path(i) == line.file) return i;
  TextRef const path = texts_.add(line.file), function = texts_.add(line.function);
  if (path.length == 0 || function.length == 0) return no_module;
  std::size_t const index = modules_.size();
  Module* const made = modules_.append([=](Module& module) { module = {path, {}, function}; });
  return made == nullptr ? no_module : static_cast<std::uint32_t>(index);
}

std::uint32_t Sites::module_at(std::uintptr_t address) const {
  for (std::size_t i = 0; i < modules_.size(); ++i)
    if (address - modules_[i].begin < modules_[i].end - modules_[i].begin) return static_cast<std::uint32_t>(i);
  return no_module;
}

// Asks the dynamic linker without holding the lock: it has one of its own.
std::uint32_t Sites::add_module_at(std::uintptr_t address, std::unique_lock<std::mutex>& lock) {
  LoadedModule loaded;
  lock.unlock();
  bool const is_loaded = find_module(address, loaded);
  lock.lock();
  if (std::uint32_t const known = module_at(address); known != no_module || !is_loaded) return known;
  TextRef const path = texts_.add(loaded.path), build_id = texts_.add(loaded.build_id);
  if (path.length == 0) return no_module;
  std::size_t const index = modules_.size();
  Module* const made =
      modules_.append([&](Module& module) { module = {path, build_id, {}, loaded.base, loaded.begin, loaded.end}; });
  return made == nullptr ? no_module : static_cast<std::uint32_t>(index);
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
    char const* const format = function(known.module).empty() ? "%s%.*s+0x%llx" : "%s%.*s:%llu";
    length += static_cast<std::size_t>(std::snprintf(room + length, left, format, length == 0 ? "" : behind.data(),
                                                     static_cast<int>(module.size()), module.data(),
                                                     static_cast<unsigned long long>(known.offset)));
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
  known_scopes_.release();
}

}  // namespace commprof
