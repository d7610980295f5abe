#include "front/loaded_object.hpp"

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

// The function that the front's dlsym jumps to: the system's dlsym or, until this is known, a function that finds and
// calls it. That is wrong for RTLD_NEXT, whose result depends on the caller, so commprof_front_look_up() finds the
// system's dlsym first (front.cpp).
extern "C" {
[[gnu::visibility("hidden")]] std::atomic<commprof::front::Dlsym> commprof_front_system_dlsym{
    commprof::front::find_system_dlsym};
}

namespace commprof::front {

namespace {

void* find_system_dlsym(void* handle, char const* symbol) { return system_dlsym()(handle, symbol); }

}  // namespace

Dlsym system_dlsym() {
  Dlsym known = commprof_front_system_dlsym.load(std::memory_order_relaxed);
  if (known != find_system_dlsym) return known;
  // dlvsym() is not interposed. Every glibc still has dlsym in the oldest version for this architecture.
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

// dlsym() searches the object before its dependencies.
void* LoadedObject::find_own(char const* symbol) const {
  void* const found = find(symbol);
  return found != nullptr && contains(found) ? found : nullptr;
}

bool LoadedObject::contains(void const* address) const {
  Dl_info info{};
  void* map = nullptr;
  return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 && map == map_;
}

DynamicSection::DynamicSection(ElfW(Addr) base, ElfW(Dyn) const* entries) : base_(base) {
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
        break;  // relocations without a symbol come first
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

bool DynamicSection::fills_slot(std::uint64_t type) {
  for (std::uint64_t const wanted : slot_types)
    if (type == wanted) return true;
  return false;
}

void LoadedObject::write(void** slot, void* address) const {
  auto const place = reinterpret_cast<std::uintptr_t>(slot);
  auto const page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(place & ~(page_bytes - 1));
  bool const is_protected = is_read_only_after_start(place);
  if (is_protected && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  std::atomic_ref(*slot).store(address, std::memory_order_release);
  if (is_protected) mprotect(page, page_bytes, PROT_READ);
}

bool LoadedObject::is_read_only_after_start(std::uintptr_t place) const {
  Dl_info info{};
  if (dladdr(map_->l_ld, &info) == 0) return true;
  auto const* const header = static_cast<ElfW(Ehdr) const*>(info.dli_fbase);
  auto const* const segments =
      reinterpret_cast<ElfW(Phdr) const*>(static_cast<char const*>(info.dli_fbase) + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    std::uintptr_t const begin = map_->l_addr + segments[i].p_vaddr;
    if (segments[i].p_type == PT_GNU_RELRO && place >= begin && place < begin + segments[i].p_memsz) return true;
  }
  return false;
}

}  // namespace commprof::front
