// Finds the scope of a record: the region, and the place in the program where calls are made.
//
// A call site is the place of a call in its module, the program or a library: solver+0x4a2f. In an interpreted program,
// it is a line of source: solver.py:214. A scope is a region with a site. It has no site if sites are switched off, the
// call is not in a module, or there is no room.
//
// A known scope is found without a lock, and wrappers remember the last one (ScopeCache). What is known about an
// address is void once its module is unloaded: a look-up of an unknown address notices that (unloaded_modules()); for
// known addresses, forget_addresses() must be called. Knows no MPI.
#pragma once

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"
#include "options/options.hpp"

namespace commprof {

struct SourceLine {
  std::string_view file;
  std::string_view function;
  std::uint32_t line;
};

class Sites {
 public:
  static constexpr std::size_t max_name = 512;  // in bytes

  // The limit of scopes with a site; 0 switches sites off.
  void set_max_scopes(std::uint32_t number) { max_scopes_ = number; }
  // Creates the scope of main. False if memory is used up.
  bool start();

  // The scope of a region's calls without a known site; that of main if memory is used up.
  ScopeIndex scope_of(RegionIndex region);
  // The scope of calls that return to this address, in the region of the scope `around`. `around` itself if there is no
  // more room.
  ScopeIndex scope_of(ScopeIndex around, void const* return_address);
  // The site of calls that return to this address; `none` if there is no room, or no module.
  SiteIndex site_of(void const* return_address);
  // The site of calls that return to the first address, made by a function that returns to the second one, and so on.
  SiteIndex site_of(void const* const* return_addresses, std::size_t count);
  // The site of a line of interpreted source, and of the line that called its function.
  SiteIndex site_of(SourceLine const& line, SiteIndex caller);

  // Must be called before a module may be unloaded: known addresses are then looked up again.
  void forget_addresses();

  // Disguises a known site as a return address, for functions that expect one. No code has so low an address.
  static void const* address_of(SiteIndex site) {
    return reinterpret_cast<void const*>(static_cast<std::uintptr_t>(site));
  }
  static bool is_site(std::uint64_t address) { return address < lowest_address; }
  static SiteIndex site_at(std::uint64_t address) { return static_cast<SiteIndex>(address); }

  RegionIndex region(ScopeIndex scope) const { return scopes_[static_cast<std::size_t>(scope)].region; }
  SiteIndex site(ScopeIndex scope) const { return scopes_[static_cast<std::size_t>(scope)].site; }
  std::size_t scopes() const { return scopes_.size(); }

  // A site as stored in pages. The first one stands for `none`.
  struct Site {
    std::uint32_t module = 0;
    SiteIndex caller{};  // site of the call of the function that makes this call; `none` if callers are not asked for
    std::uint64_t offset =
        0;  // of the call in the module's file (one byte before the return address), or a line's number
  };
  struct Module {
    TextRef path;
    TextRef build_id;
    TextRef function;                             // name of an interpreted function
    std::uintptr_t base = 0, begin = 0, end = 0;  // addresses in this process
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
  // The name of an interpreted function; empty for other modules.
  std::string_view function(std::uint32_t module) const { return texts_.view(modules_[module].function); }
  // The file name of the module.
  std::string_view module_name(std::uint32_t module) const;
  // module+0xoffset or file:line, followed by callers after " < ", in a buffer of max_name bytes; omits callers that do
  // not fit. Empty for `none`.
  std::string_view name(SiteIndex site, char* room) const;

  // Restore the next module, site or scope of another process. An invalid one returns false; an entry without a name
  // takes its index, so that later indices stay right. regions: the number of regions.
  bool restore_module(std::string_view path, std::string_view build_id, std::string_view function);
  bool restore(Site const& site);
  bool restore(Scope scope, std::size_t regions);

  // Frees all memory.
  void release();

 private:
  static constexpr std::uint32_t no_module = UINT32_MAX;
  static constexpr std::uintptr_t lowest_address = 65536;  // lower values are sites: see address_of()

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
    return (place ^ site.offset) + 1;
  }

  SiteIndex site_of(std::uintptr_t address, SiteIndex caller);
  SiteIndex find_or_add(Site const& wanted);
  ScopeIndex find_or_add(Scope wanted, ScopeIndex otherwise);
  ScopeIndex add(Scope wanted, ScopeIndex otherwise);
  std::uint32_t module_at(std::uintptr_t address) const;
  std::uint32_t add_module_at(std::uintptr_t address, std::unique_lock<std::mutex>& lock);
  std::uint32_t find_or_add_module(std::string_view path, std::string_view build_id, std::string_view function);
  bool has_room_for_site() const { return sites_.size() <= std::min(max_scopes_, most_scopes); }
  void keep_address(std::uint64_t key, SiteIndex site);
  void follow_unloads(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::uint32_t max_scopes_ = 0;
  std::size_t scopes_with_site_ = 0;
  Arena<Scope, 8, 9> scopes_{spool::Part{spool::Kind::scopes}};
  Arena<Site, 8, 9> sites_{spool::Part{spool::Kind::sites}};
  Arena<Module, 6, 12> modules_{spool::Part{spool::Kind::modules}};
  TextStore texts_{spool::Kind::module_texts};
  Index<std::uint64_t, SiteIndex> known_sites_;  // by hash
  // Values are one more than an index. Addresses without a site are entered, too: code that is generated at run time
  // has any number of them, so known_addresses_ begins anew when it has too many.
  static constexpr std::size_t most_addresses = std::size_t{1} << 17;
  static constexpr std::uint32_t unknown = 0;
  Index<std::uint64_t, std::uint32_t, IndexWithReaders> known_addresses_, known_scopes_, known_modules_;
  std::atomic<bool> are_scopes_full_{false};  // no more scopes with a site
  std::uint64_t unloads_ = 0;                 // number of unloads that known_addresses_ reflects
  static constexpr std::uint64_t never = UINT64_MAX;
  LastingVector<std::uint64_t> seen_at_;  // of each module: the number of unloads when its range was looked up
};

// A program or library, as the dynamic linker knows it.
struct LoadedModule {
  static constexpr std::size_t max_build_id = 64;  // in characters; GNU's have 40

  std::uintptr_t base = 0;  // difference between addresses in memory and in the file
  std::uintptr_t begin = 0, end = 0;
  char path[PATH_MAX] = "";
  char build_id[max_build_id + 1] = "";  // hexadecimal; empty if there is none
};

// Finds the module that contains an address. False if there is none, as for code generated at run time.
bool find_module(std::uintptr_t address, LoadedModule& found);

// The number of modules unloaded since the process began.
std::uint64_t unloaded_modules();

// The sites of this process.
namespace sites {
inline constinit Sites table;
}  // namespace sites

}  // namespace commprof

// Finds the lines of Python that led to a call.
//
// A Python program calls MPI through an extension module, whose own address says little. So the interpreter of the
// process is asked for the lines, by functions that every CPython since 3.10 exports; the build needs no header or
// library of Python. Asking needs the GIL, which mpi4py and ctypes have released. If another Python thread could hold
// the GIL and wait for this very call, nothing is asked.
namespace commprof::python {

// Options::stack in a process of Python without COMMPROF_STACK: a site is a line of Python, or has no callers.
inline constexpr std::uint32_t line_alone = max_stack + 1;

// Whether the process runs an interpreter that can tell lines.
bool is_running();

// The current line of Python in this thread, with those of its callers, at most `most` in all. SiteIndex::none: outside
// Python, or if the interpreter must not be asked.
SiteIndex site_of_call(std::size_t most);

}  // namespace commprof::python
