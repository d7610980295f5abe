#include "front/objects.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace commprof::front {

namespace {

#if defined(__x86_64__)
constexpr char oldest_version[] = "GLIBC_2.2.5";
constexpr std::uint64_t slot_types[] = {R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_64};
#elif defined(__aarch64__)
constexpr char oldest_version[] = "GLIBC_2.17";
constexpr std::uint64_t slot_types[] = {R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_AARCH64_ABS64};
#endif

void* find_system_dlsym(void* handle, char const* symbol);

}  // namespace

}  // namespace commprof::front

// The target of the front's dlsym: the system's dlsym or, until that is known, a function that finds and calls it. This
// function would be wrong for RTLD_NEXT, whose result depends on the caller; so commprof_front_look_up() finds the
// system's dlsym first (front.cpp).
extern "C" {
[[gnu::visibility("hidden")]] std::atomic<commprof::front::Dlsym> commprof_front_system_dlsym{
    commprof::front::find_system_dlsym};
}

namespace commprof::front {

namespace {

void* find_system_dlsym(void* handle, char const* symbol) { return system_dlsym()(handle, symbol); }

ElfW(Dyn) const* dynamic_entries(dl_phdr_info const& object) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<ElfW(Dyn) const*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  return nullptr;
}

}  // namespace

Dlsym system_dlsym() {
  Dlsym known = commprof_front_system_dlsym.load(std::memory_order_relaxed);
  if (known != find_system_dlsym) return known;
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

Dlclose system_dlclose() {
  static std::atomic<Dlclose> known{nullptr};
  Dlclose found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = reinterpret_cast<Dlclose>(next_definition("dlclose"));
    known.store(found, std::memory_order_relaxed);
  }
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
  if (handle_ != nullptr) system_dlclose()(handle_);
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
  // glibc has relocated the addresses in the objects that it has loaded, but not in the vDSO.
  auto const address = [&](std::uintptr_t value) { return value < base ? value + base : value; };
  auto const entry_at = [&](std::uintptr_t value) { return reinterpret_cast<ElfW(Rela) const*>(address(value)); };
  std::size_t bytes_of_relocations = 0, bytes_of_jumps = 0, without_symbol = 0;
  for (; entries != nullptr && entries->d_tag != DT_NULL; ++entries) {
    std::uintptr_t const value = entries->d_un.d_val;
    switch (entries->d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<ElfW(Sym) const*>(address(value));
        break;
      case DT_STRTAB:
        texts_ = reinterpret_cast<char const*>(address(value));
        break;
      case DT_VERSYM:
        versions_ = reinterpret_cast<ElfW(Versym) const*>(address(value));
        break;
      case DT_GNU_HASH:
        gnu_table_ = reinterpret_cast<std::uint32_t const*>(address(value));
        break;
      case DT_HASH:
        old_table_ = reinterpret_cast<std::uint32_t const*>(address(value));
        break;
      case DT_SONAME:
        soname_ = value;
        break;
      case DT_RELA:
        relocations_.begin = entry_at(value);
        break;
      case DT_RELASZ:
        bytes_of_relocations = value;
        break;
      case DT_RELACOUNT:
        without_symbol = value;
        break;  // these come first; the rest has symbols
      case DT_JMPREL:
        jumps_.begin = entry_at(value);
        break;
      case DT_PLTRELSZ:
        bytes_of_jumps = value;
        break;
      default:
        break;
    }
  }
  if (relocations_.begin != nullptr) {
    relocations_.end = relocations_.begin + bytes_of_relocations / sizeof(ElfW(Rela));
    relocations_.begin += without_symbol;
  }
  if (jumps_.begin != nullptr) jumps_.end = jumps_.begin + bytes_of_jumps / sizeof(ElfW(Rela));
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

DynamicSection::Definition DynamicSection::find(char const* name, std::uint32_t hash) const {
  if (symbols_ == nullptr || texts_ == nullptr) return {};
  auto const definition = [&](std::size_t symbol) -> Definition {
    return {reinterpret_cast<void*>(base_ + symbols_[symbol].st_value),
            ELF64_ST_TYPE(symbols_[symbol].st_info) == STT_GNU_IFUNC};
  };
  if (gnu_table_ != nullptr) {
    std::uint32_t const buckets = gnu_table_[0], first = gnu_table_[1], words = gnu_table_[2], shift = gnu_table_[3];
    if (buckets == 0 || words == 0) return {};
    auto const* const bloom = reinterpret_cast<std::uint64_t const*>(gnu_table_ + 4);
    std::uint64_t const word = bloom[hash / 64 & (words - 1)];
    if ((word >> (hash % 64) & word >> (hash >> shift) % 64 & 1) == 0) return {};
    auto const* const bucket = reinterpret_cast<std::uint32_t const*>(bloom + words);
    std::uint32_t const* const chain = bucket + buckets;
    std::uint32_t symbol = bucket[hash % buckets];
    if (symbol < first) return {};
    for (;; ++symbol) {
      std::uint32_t const other = chain[symbol - first];
      if ((other | 1) == (hash | 1) && defines(symbol, name)) return definition(symbol);
      if ((other & 1) != 0) return {};
    }
  }
  if (old_table_ == nullptr) return {};
  std::uint32_t old_hash = 0;
  for (char const c : std::string_view(name)) {
    old_hash = (old_hash << 4) + static_cast<unsigned char>(c);
    std::uint32_t const high = old_hash & 0xF0000000;
    old_hash = (old_hash ^ high >> 24) & ~high;
  }
  std::uint32_t const buckets = old_table_[0];
  std::uint32_t const* const bucket = old_table_ + 2;
  std::uint32_t const* const chain = bucket + buckets;
  for (std::uint32_t symbol = buckets == 0 ? 0 : bucket[old_hash % buckets]; symbol != 0; symbol = chain[symbol])
    if (defines(symbol, name)) return definition(symbol);
  return {};
}

bool DynamicSection::defines_any(std::initializer_list<char const*> names) const {
  for (char const* const name : names)
    if (find(name, gnu_hash(name)).address != nullptr) return true;
  return false;
}

std::size_t DynamicSection::end_of_undefined() const {
  if (gnu_table_ != nullptr) return gnu_table_[1];
  return old_table_ == nullptr ? 0 : old_table_[1];
}

bool DynamicSection::fills_slot(std::uint64_t type) {
  for (std::uint64_t const wanted : slot_types)
    if (type == wanted) return true;
  return false;
}

void write_slot(dl_phdr_info const& object, void** slot, void* address) {
  if (object.dlpi_phnum == 0) return;
  auto const place = reinterpret_cast<std::uintptr_t>(slot);
  bool is_protected = false;
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    ElfW(Phdr) const& segment = object.dlpi_phdr[i];
    std::uintptr_t const begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_RELRO && place >= begin && place < begin + segment.p_memsz) is_protected = true;
  }
  auto const page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(place & ~(page_bytes - 1));
  if (is_protected && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  std::atomic_ref(*slot).store(address, std::memory_order_release);
  if (is_protected) mprotect(page, page_bytes, PROT_READ);
}

dl_phdr_info LoadedObject::segments() const {
  dl_phdr_info own{};
  is_any_loaded([&](dl_phdr_info const& object) {
    if (object.dlpi_addr != map_->l_addr || dynamic_entries(object) != map_->l_ld) return false;
    own = object;
    return true;
  });
  return own;
}

void LoadedList::fill(Ask ask, void const* predicate, std::size_t first, std::size_t end) {
  std::size_t room = 0;  // total length of all paths
  auto const add = [&](dl_phdr_info const& object) {
    counts_ = {object.dlpi_adds, object.dlpi_subs};
    std::size_t const number = loaded_objects_++;
    if (number < first || number >= end) return;
    if (object.dlpi_name == nullptr || object.dlpi_name[0] == '\0' || !ask(predicate, object)) return;
    std::size_t const length = std::strlen(object.dlpi_name) + 1;
    room += length;
    if (length_ + length > capacity_) return;
    std::memcpy(paths_ + length_, object.dlpi_name, length);
    length_ += length;
  };
  constexpr std::size_t page_bytes = 65536;  // a multiple of the page size on any system
  for (;;) {
    room = length_ = loaded_objects_ = 0;
    is_any_loaded([&](dl_phdr_info const& object) { return add(object), false; });
    if (room <= capacity_) return;
    release();
    capacity_ = (room + page_bytes - 1) / page_bytes * page_bytes;
    void* const pages = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    paths_ = pages == MAP_FAILED ? nullptr : static_cast<char*>(pages);
    if (paths_ == nullptr) {
      capacity_ = length_ = 0;
      return;
    }
  }
}

LoadedList::~LoadedList() { release(); }

void LoadedList::release() {
  if (paths_ != nullptr && paths_ != few_) munmap(paths_, capacity_);
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
