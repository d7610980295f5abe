// The objects that the dynamic linker has loaded in this process: the program and its libraries.
//
// Nothing here takes a lock of the front, and nothing calls the dynamic linker from within dl_iterate_phdr(), which
// holds one of the linker's locks. Otherwise threads could deadlock: a constructor of a library that is being loaded
// may call MPI.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace commprof::front {

// The system's dlsym(), which the front interposes.
using Dlsym = void* (*)(void* handle, char const* symbol);
Dlsym system_dlsym();

// The definition of a symbol that follows the front's in the global scope; nullptr if there is none.
void* next_definition(char const* symbol);

// The hash of a name in the symbol tables of objects (DT_GNU_HASH).
constexpr std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (char const c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

// Whether is_wanted(object) is true for a loaded object; asks no further ones then. object: a dl_phdr_info.
template <class Predicate>
bool is_any_loaded(Predicate is_wanted) {
  auto const ask = [](dl_phdr_info* object, std::size_t, void* predicate) {
    return (*static_cast<Predicate*>(predicate))(static_cast<dl_phdr_info const&>(*object)) ? 1 : 0;
  };
  return dl_iterate_phdr(ask, &is_wanted) != 0;
}

// Stores an address in a slot of an object. Makes the slot writable first; it may have become read-only after
// relocation.
void write_slot(void** slot, void* address);

// The dynamic section of an object. Nothing here calls the dynamic linker or takes a lock.
class DynamicSection {
 public:
  DynamicSection(ElfW(Addr) base, ElfW(Dyn) const* entries);
  explicit DynamicSection(dl_phdr_info const& object);

  // Empty if the object has no soname.
  std::string_view soname() const { return soname_ == 0 || texts_ == nullptr ? std::string_view{} : texts_ + soname_; }

  // The object's own definition of a symbol, with gnu_hash(name). Nothing is found in an object without DT_GNU_HASH.
  void* find(char const* name, std::uint32_t hash) const;
  bool defines_any(std::initializer_list<char const*> names) const;

  // Whether the object's DT_NEEDED entries include this soname.
  bool needs(std::string_view soname) const;

  // Calls visit(name, is_weak) for each symbol that the object does not define.
  template <class Visitor>
  void for_each_undefined(Visitor&& visit) const {
    if (!has_symbols()) return;
    for (std::size_t i = 1, end = gnu_table_[1]; i < end; ++i)  // defined ones follow
      if (symbols_[i].st_shndx == SHN_UNDEF && symbols_[i].st_name != 0)
        visit(texts_ + symbols_[i].st_name, ELF64_ST_BIND(symbols_[i].st_info) == STB_WEAK);
  }

  // A slot of the object that the dynamic linker fills with the address of a symbol.
  struct Import {
    char const* name;
    void** slot;
    std::ptrdiff_t addend;
    bool is_weak;
    bool is_defined;  // by the object itself; the linker may have found another definition before
  };
  // Calls visit(import) for each slot for a symbol of another object.
  template <class Visitor>
  void for_each_import(Visitor&& visit) const {
    for_each_slot([&](Import const& import) {
      if (!import.is_defined) visit(import);
    });
  }
  // Calls visit(import) for each slot for a symbol.
  template <class Visitor>
  void for_each_slot(Visitor&& visit) const {
    if (!has_symbols()) return;
    for (Relocations const& table : {relocations_, jumps_})
      for (ElfW(Rela) const* entry = table.begin; entry != table.end; ++entry) {
        if (!fills_slot(ELF64_R_TYPE(entry->r_info))) continue;
        ElfW(Sym) const& symbol = symbols_[ELF64_R_SYM(entry->r_info)];
        if (symbol.st_name == 0) continue;
        visit(Import{texts_ + symbol.st_name, reinterpret_cast<void**>(base_ + entry->r_offset), entry->r_addend,
                     ELF64_ST_BIND(symbol.st_info) == STB_WEAK, symbol.st_shndx != SHN_UNDEF});
      }
  }

 private:
  struct Relocations {
    ElfW(Rela) const* begin = nullptr;
    ElfW(Rela) const* end = nullptr;
  };
  static bool fills_slot(std::uint64_t type);
  bool has_symbols() const { return symbols_ != nullptr && texts_ != nullptr && gnu_table_ != nullptr; }
  bool defines(std::size_t symbol, char const* name) const;

  ElfW(Addr) base_;
  ElfW(Dyn) const* entries_;
  std::uint32_t const* gnu_table_ = nullptr;
  ElfW(Sym) const* symbols_ = nullptr;
  ElfW(Versym) const* versions_ = nullptr;
  char const* texts_ = nullptr;
  std::size_t soname_ = 0;  // offset in the texts; 0: none
  Relocations relocations_, jumps_;
};

// A loaded object. It stays loaded during this object's lifetime.
class LoadedObject {
 public:
  LoadedObject() = default;
  // Finds the loaded object of this name; empty if there is none.
  explicit LoadedObject(char const* name);
  // The object that contains an address.
  static LoadedObject at(void const* address);
  LoadedObject(LoadedObject&& other) noexcept : handle_(other.handle_), map_(other.map_) {
    other.handle_ = other.map_ = nullptr;
  }
  LoadedObject& operator=(LoadedObject&& other) noexcept;
  ~LoadedObject();

  explicit operator bool() const { return map_ != nullptr; }
  // The program itself: its look-ups search the global scope.
  static LoadedObject program();
  // Whether dlsym() with this handle searches the same objects.
  bool has_handle(void* handle) const { return handle == handle_; }
  // Leaves the object loaded for good.
  void* keep();
  link_map const* map() const { return map_; }

  char const* path() const { return map_->l_name; }
  // Looks the symbol up in the object and what it depends on.
  void* find(char const* symbol) const { return system_dlsym()(handle_, symbol); }
  // Looks the symbol up in the object alone.
  void* find_own(char const* symbol) const;
  bool is_same_as(LoadedObject const& other) const { return map_ == other.map_; }
  bool contains(void const* address) const;

  DynamicSection dynamic_section() const { return {map_->l_addr, map_->l_ld}; }

 private:
  explicit LoadedObject(void* handle);

  void* handle_ = nullptr;
  link_map* map_ = nullptr;
};

// The numbers of objects loaded and unloaded since the process began.
struct LoadCounts {
  unsigned long long loaded = 0;
  unsigned long long unloaded = 0;

  static LoadCounts now();
  std::size_t objects() const { return loaded - unloaded; }
  friend bool operator==(LoadCounts const&, LoadCounts const&) = default;
};

// Calls visit(path, dynamic) for each loaded object from the first on for which is_wanted(object) is true; the path of
// the program is empty. visit() may call the dynamic linker. The linker appends what it loads, so that the last ones
// are the newest.
template <class Predicate, class Visitor>
void for_each_loaded(Predicate is_wanted, Visitor visit, std::size_t first = 0) {
  char path[1024];  // an object with a longer one is left out
  DynamicSection dynamic{0, nullptr};
  for (bool is_there = true; is_there;) {
    std::size_t number = 0;
    is_there = is_any_loaded([&](dl_phdr_info const& object) {
      if (number++ < first || object.dlpi_name == nullptr) return false;
      std::size_t const length = std::strlen(object.dlpi_name);
      if (length >= sizeof path || !is_wanted(object)) return false;
      std::memcpy(path, object.dlpi_name, length + 1);
      dynamic = DynamicSection(object);
      return true;
    });
    first = number;
    if (is_there) visit(static_cast<char const*>(path), static_cast<DynamicSection const&>(dynamic));
  }
}

}  // namespace commprof::front
