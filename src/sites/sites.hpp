// Where in the program calls are made, and in which region: the scope of a record.
//
// A call site is the place of the call in its module, the program or a library: module+0xoffset, solver+0x4a2f. That
// is the same on all processes and in every run, wherever the module is loaded. Of a program that is interpreted, it is
// a line of its source: solver.py:214. A scope is a region with a site, or
// without one: for calls whose site is not asked for, is not in any module, or finds no room.
//
// A scope that was found before is found again without a lock, and wrappers remember what they found (ScopeCache).
//
// What is known of an address ends when a module is unloaded: another one may be loaded in its place. A look-up of an
// unknown address sees that by itself (unloaded_modules()). For known ones, forget_addresses() is called. Knows no MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/ids.hpp"
#include "base/memory.hpp"
#include "base/open_slots.hpp"
#include "base/shared_map.hpp"

namespace commprof {

struct SourceLine {
  std::string_view file;
  std::string_view function;
  std::uint32_t line;
};

class Sites {
 public:
  static constexpr std::size_t max_name = 512;  // bytes

  // Scopes with a site that there may be; 0: sites are not asked for.
  void set_max_scopes(std::uint32_t number) { max_scopes_ = number; }
  // Makes the scope of main. False when memory is used up.
  bool start();

  // The scope of the calls in a region whose site is not known; that of main when memory is used up.
  ScopeIndex scope_of(RegionIndex region);
  // The scope of the calls that return to an address, in the region of another scope: that one if there is no more
  // room.
  ScopeIndex scope_of(ScopeIndex around, void const* return_address);
  // The site of such calls; none if there is no more room, or no module.
  SiteIndex site_of(void const* return_address);
  // The site of calls that return to the first address, made by a function that returns to the second one, and so on.
  SiteIndex site_of(void const* const* return_addresses, std::size_t count);
  // A line of source that is interpreted, and the line that called its function.
  SiteIndex site_of(SourceLine const& line, SiteIndex caller);

  // A module may be about to be unloaded: addresses are looked up anew.
  void forget_addresses();

  // Stands for a site that is known where the address is asked for that a call returns to. No code lies there.
  static void const* address_of(SiteIndex site) {
    return reinterpret_cast<void const*>(static_cast<std::uintptr_t>(site));
  }
  static bool is_site(std::uint64_t address) { return address < lowest_address; }
  static SiteIndex site_at(std::uint64_t address) { return static_cast<SiteIndex>(address); }

  RegionIndex region(ScopeIndex scope) const { return scopes_[static_cast<std::size_t>(scope)].region; }
  SiteIndex site(ScopeIndex scope) const { return scopes_[static_cast<std::size_t>(scope)].site; }
  std::size_t scopes() const { return scopes_.size(); }

  // One site as the pages hold it. The first one stands for none.
  struct Site {
    std::uint32_t module = 0;
    SiteIndex caller{};        // where the function is called that makes the call; none: it is not asked for
    std::uint64_t offset = 0;  // in the file of the module, of the call: one byte before the return address; or a line
  };
  struct Module {
    TextRef path;
    TextRef build_id;
    TextRef function;                             // of a function that is interpreted: its name
    std::uintptr_t base = 0, begin = 0, end = 0;  // in this process
  };
  struct Scope {
    RegionIndex region{};
    SiteIndex site{};
  };

  std::size_t size() const { return sites_.size(); }
  Site const& operator[](SiteIndex site) const { return sites_[static_cast<std::size_t>(site)]; }
  std::size_t modules() const { return modules_.size(); }
  std::string_view path(std::uint32_t module) const { return texts_.view(modules_[module].path); }
  std::string_view build_id(std::uint32_t module) const { return texts_.view(modules_[module].build_id); }
  // Empty, if it is no function that is interpreted.
  std::string_view function(std::uint32_t module) const { return texts_.view(modules_[module].function); }
  // The path without its directories.
  std::string_view module_name(std::uint32_t module) const;
  // module+0xoffset or file:line, followed by those of the callers behind " < ", in a room of max_name bytes, where
  // callers that find no room are left out; empty for none.
  std::string_view name(SiteIndex site, char* room) const;

  // Take in the next module, site or scope of another process. False if it makes no sense there: then something without
  // a name takes its place, so that the others keep theirs. regions: how many there are.
  bool restore_module(std::string_view path, std::string_view build_id, std::string_view function);
  bool restore(Site const& site);
  bool restore(Scope scope, std::size_t regions);

  // Gives all memory back.
  void release();

 private:
  static constexpr std::uint32_t no_module = UINT32_MAX;
  static constexpr std::uintptr_t lowest_address = 65536;  // below are sites: see address_of()

  // Keys of known_addresses_ and known_scopes_. An address has at most 48 bits, or is a hash.
  static std::uint64_t key_of(std::uintptr_t address, SiteIndex caller) {
    return address ^ static_cast<std::uint64_t>(caller) << 48;
  }
  static std::uint64_t key_of(Scope scope) {
    return std::uint64_t{1} << 32 | static_cast<std::uint64_t>(scope.region) << 16 |
           static_cast<std::uint64_t>(scope.site);
  }
  static std::uint64_t hash(Site const& site) {
    std::uint64_t const place = std::uint64_t{site.module} << 48 ^ static_cast<std::uint64_t>(site.caller) << 32;
    return (place ^ site.offset) * 0x9E3779B97F4A7C15ULL >> 32;
  }

  SiteIndex site_of(std::uintptr_t address, SiteIndex caller);
  SiteIndex find_or_add(Site const& wanted);
  ScopeIndex find_or_add(Scope wanted, ScopeIndex otherwise);
  ScopeIndex add(Scope wanted, ScopeIndex otherwise);
  std::uint32_t module_at(std::uintptr_t address) const;
  std::uint32_t add_module_at(std::uintptr_t address, std::unique_lock<std::mutex>& lock);
  std::uint32_t find_or_add_source(SourceLine const& line);
  void follow_unloads(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::uint32_t max_scopes_ = 0;
  std::size_t scopes_with_site_ = 0;
  Arena<Scope, 8, 9> scopes_{spool::Part{spool::Kind::scopes}};
  Arena<Site, 8, 9> sites_{spool::Part{spool::Kind::sites}};
  Arena<Module, 6, 12> modules_{spool::Part{spool::Kind::modules}};
  TextStore texts_{spool::Kind::module_texts};
  OpenSlots<SiteIndex> known_sites_;
  // Values are one more than an index. A site or scope for which there was no room is known as such.
  SharedMap known_addresses_;
  SharedMap known_scopes_;
  std::uint64_t unloads_ = 0;  // that the ranges of the modules take into account
};

// Those of the process.
namespace sites {
inline constinit Sites table;
}  // namespace sites

}  // namespace commprof
