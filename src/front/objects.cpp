#include "front/objects.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

// What the front's dlsym jumps to: the system's, which commprof_front_look_up() finds first (front.cpp).
extern "C" {
[[gnu::visibility("hidden")]] std::atomic<commprof::front::Dlsym> commprof_front_system_dlsym{nullptr};
}

namespace commprof::front {

namespace {

#if defined(__x86_64__)
constexpr char oldest_version[] = "GLIBC_2.2.5";
constexpr std::uint64_t slot_types[] = {R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_64};
#elif defined(__aarch64__)
constexpr char oldest_version[] = "GLIBC_2.17";
constexpr std::uint64_t slot_types[] = {R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_AARCH64_ABS64};
#endif

ElfW(Dyn) const* dynamic_entries(dl_phdr_info const& object) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<ElfW(Dyn) const*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  return nullptr;
}

}  // namespace

Dlsym system_dlsym() {
  Dlsym known = commprof_front_system_dlsym.load(std::memory_order_relaxed);
  if (known != nullptr) return known;
  // dlvsym() is not interposed. Every glibc has dlsym in the oldest version for its architecture.
  known = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", oldest_version));
  commprof_front_system_dlsym.store(known, std::memory_order_relaxed);
  return known;
}

// The asm prevents a tail call: with RTLD_NEXT, the system's dlsym finds the calling object by its return address.
void* next_definition(char const* symbol) {
  void* const found = system_dlsym()(RTLD_NEXT, symbol);
  asm volatile("" ::: "memory");
  return found;
}

LoadedObject::LoadedObject(void* handle) : handle_(handle) {
  if (handle_ != nullptr && dlinfo(handle_, RTLD_DI_LINKMAP, &map_) != 0) map_ = nullptr;
}

LoadedObject::LoadedObject(char const* name) : LoadedObject(dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {}

LoadedObject LoadedObject::at(void const* address) {
  Dl_info info{};
  void* map = nullptr;
  if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr) return {};
  char const* const name = static_cast<link_map*>(map)->l_name;
  LoadedObject found(*name == '\0' ? nullptr : name);  // the program itself has no name
  if (found.map_ != map) return {};
  return found;
}

LoadedObject& LoadedObject::operator=(LoadedObject&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(map_, other.map_);
  return *this;
}

LoadedObject::~LoadedObject() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* LoadedObject::keep() { return std::exchange(handle_, nullptr); }

// dlsym() searches the object before its dependencies: a definition of its own is found first.
void* LoadedObject::find_own(char const* symbol) const {
  void* const found = find(symbol);
  return found != nullptr && contains(found) ? found : nullptr;
}

bool LoadedObject::contains(void const* address) const {
  Dl_info info{};
  void* map = nullptr;
  return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 && map == map_;
}

LoadedObject LoadedObject::program() { return LoadedObject(static_cast<char const*>(nullptr)); }

DynamicSection::DynamicSection(dl_phdr_info const& object)
    : DynamicSection(object.dlpi_addr, dynamic_entries(object)) {}

DynamicSection::DynamicSection(ElfW(Addr) base, ElfW(Dyn) const* entries) : base_(base), entries_(entries) {
  auto const value = [&](ElfW(Sxword) tag) -> std::uintptr_t {
    for (ElfW(Dyn) const* entry = entries; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == tag) return entry->d_un.d_val;
    return 0;
  };
  // glibc has relocated the addresses in the objects that it has loaded, but not in the vDSO.
  auto const address = [&](ElfW(Sxword) tag) -> void const* {
    std::uintptr_t const found = value(tag);
    return found == 0 ? nullptr : reinterpret_cast<void const*>(found < base ? found + base : found);
  };
  symbols_ = static_cast<ElfW(Sym) const*>(address(DT_SYMTAB));
  texts_ = static_cast<char const*>(address(DT_STRTAB));
  versions_ = static_cast<ElfW(Versym) const*>(address(DT_VERSYM));
  gnu_table_ = static_cast<std::uint32_t const*>(address(DT_GNU_HASH));
  soname_ = value(DT_SONAME);
  if (auto const* const begin = static_cast<ElfW(Rela) const*>(address(DT_RELA)))  // the first ones have no symbol
    relocations_ = {begin + value(DT_RELACOUNT), begin + value(DT_RELASZ) / sizeof *begin};
  if (auto const* const begin = static_cast<ElfW(Rela) const*>(address(DT_JMPREL)))
    jumps_ = {begin, begin + value(DT_PLTRELSZ) / sizeof *begin};
}

bool DynamicSection::needs(std::string_view soname) const {
  for (ElfW(Dyn) const* entry = entries_; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && texts_ != nullptr && texts_ + entry->d_un.d_val == soname) return true;
  return false;
}

bool DynamicSection::defines(std::size_t symbol, char const* name) const {
  ElfW(Sym) const& candidate = symbols_[symbol];
  constexpr ElfW(Versym) is_hidden = 0x8000;  // a definition for objects that were linked with an older library
  return candidate.st_shndx != SHN_UNDEF && candidate.st_value != 0 &&
         (versions_ == nullptr || (versions_[symbol] & is_hidden) == 0) &&
         std::strcmp(texts_ + candidate.st_name, name) == 0;
}

void* DynamicSection::find(char const* name, std::uint32_t hash) const {
  if (!has_symbols()) return nullptr;
  std::uint32_t const buckets = gnu_table_[0], first = gnu_table_[1], words = gnu_table_[2], shift = gnu_table_[3];
  if (buckets == 0 || words == 0) return nullptr;
  auto const* const bloom = reinterpret_cast<std::uint64_t const*>(gnu_table_ + 4);
  std::uint64_t const word = bloom[hash / 64 & (words - 1)];
  if ((word >> (hash % 64) & word >> (hash >> shift) % 64 & 1) == 0) return nullptr;
  auto const* const bucket = reinterpret_cast<std::uint32_t const*>(bloom + words);
  std::uint32_t const* const chain = bucket + buckets;
  std::uint32_t symbol = bucket[hash % buckets];
  if (symbol < first) return nullptr;
  for (;; ++symbol) {
    std::uint32_t const other = chain[symbol - first];
    if ((other | 1) == (hash | 1) && defines(symbol, name))
      return reinterpret_cast<void*>(base_ + symbols_[symbol].st_value);
    if ((other & 1) != 0) return nullptr;
  }
}

bool DynamicSection::defines_any(std::initializer_list<char const*> names) const {
  for (char const* const name : names)
    if (find(name, gnu_hash(name)) != nullptr) return true;
  return false;
}

bool DynamicSection::fills_slot(std::uint64_t type) {
  for (std::uint64_t const wanted : slot_types)
    if (type == wanted) return true;
  return false;
}

void write_slot(void** slot, void* address) {
  auto const page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot) & ~(page_bytes - 1));
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  std::atomic_ref(*slot).store(address, std::memory_order_release);
}

LoadCounts LoadCounts::now() {
  LoadCounts counts;
  is_any_loaded([&](dl_phdr_info const& any) {
    counts = {any.dlpi_adds, any.dlpi_subs};
    return true;
  });
  return counts;
}

}  // namespace commprof::front
