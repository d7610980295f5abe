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
#include <initializer_list>
#include <string_view>

namespace commprof::front {

// The system's dlsym(), which the front interposes.
using Dlsym = void* (*)(void* handle, char const* symbol);
Dlsym system_dlsym();

// The system's dlclose(), which the front interposes.
using Dlclose = int (*)(void* handle);
Dlclose system_dlclose();

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

// Stores an address in a slot of an object, whose segments are known. Makes a read-only slot writable first.
void write_slot(dl_phdr_info const& object, void** slot, void* address);

// The dynamic section of an object. Nothing here calls the dynamic linker or takes a lock.
class DynamicSection {
 public:
  DynamicSection(ElfW(Addr) base, ElfW(Dyn) const* entries);
  explicit DynamicSection(dl_phdr_info const& object);

  // Empty if the object has no soname.
  std::string_view soname() const { return soname_ == 0 || texts_ == nullptr ? std::string_view{} : texts_ + soname_; }

  // The object's own definition of a symbol, with gnu_hash(name). If it is indirect, the address is that of a function
  // that returns the symbol's address.
  struct Definition {
    void* address = nullptr;
    bool is_indirect = false;
  };
  Definition find(char const* name, std::uint32_t hash) const;
  bool defines_any(std::initializer_list<char const*> names) const;

  // Calls visit(hash, name) for each symbol that the object defines. hash: gnu_hash() of its name without the lowest
  // bit. name(): returns the name, whose memory need not be read for most symbols.
  template <class Visitor>
  void for_each_definition(Visitor&& visit) const {
    if (symbols_ == nullptr || texts_ == nullptr) return;
    auto const name_of = [&](std::size_t symbol) { return texts_ + symbols_[symbol].st_name; };
    if (gnu_table_ == nullptr) {
      for (std::size_t i = 1, end = end_of_undefined(); i < end; ++i)
        if (symbols_[i].st_shndx != SHN_UNDEF) visit(gnu_hash(name_of(i)), [&] { return name_of(i); });
      return;
    }
    std::uint32_t const buckets = gnu_table_[0], first = gnu_table_[1];
    std::uint32_t const* const bucket = gnu_table_ + 4 + 2 * gnu_table_[2];
    std::uint32_t const* const chain = bucket + buckets;
    for (std::uint32_t i = 0; i < buckets; ++i)
      for (std::uint32_t symbol = bucket[i]; symbol >= first && symbol != 0; ++symbol) {
        std::uint32_t const hash = chain[symbol - first];
        visit(hash, [&] { return name_of(symbol); });
        if ((hash & 1) != 0) break;
      }
  }

  // Whether the object's DT_NEEDED entries include this soname.
  bool needs(std::string_view soname) const;

  // Calls visit(name, is_weak) for each symbol that the object does not define.
  template <class Visitor>
  void for_each_undefined(Visitor&& visit) const {
    if (symbols_ == nullptr || texts_ == nullptr) return;
    for (std::size_t i = 1, end = end_of_undefined(); i < end; ++i)
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
    // Most slots of a library are for symbols that it defines itself.
    for_each_slot(end_of_undefined(), [&](Import const& import) {
      if (!import.is_defined) visit(import);
    });
  }
  // Calls visit(import) for each slot for a symbol.
  template <class Visitor>
  void for_each_slot(Visitor&& visit) const {
    for_each_slot(SIZE_MAX, visit);
  }

 private:
  struct Relocations {
    ElfW(Rela) const* begin = nullptr;
    ElfW(Rela) const* end = nullptr;
  };
  static bool fills_slot(std::uint64_t type);
  // end: of the indices of symbols.
  template <class Visitor>
  void for_each_slot(std::size_t end, Visitor&& visit) const {
    if (symbols_ == nullptr || texts_ == nullptr) return;
    for (Relocations const& table : {relocations_, jumps_})
      for (ElfW(Rela) const* entry = table.begin; entry != table.end; ++entry) {
        if (ELF64_R_SYM(entry->r_info) >= end || !fills_slot(ELF64_R_TYPE(entry->r_info))) continue;
        ElfW(Sym) const& symbol = symbols_[ELF64_R_SYM(entry->r_info)];
        if (symbol.st_name == 0) continue;
        visit(Import{texts_ + symbol.st_name, reinterpret_cast<void**>(base_ + entry->r_offset), entry->r_addend,
                     ELF64_ST_BIND(symbol.st_info) == STB_WEAK, symbol.st_shndx != SHN_UNDEF});
      }
  }
  bool defines(std::size_t symbol, char const* name) const;
  // The index from which on symbols are defined.
  std::size_t end_of_undefined() const;

  ElfW(Addr) base_;
  ElfW(Dyn) const* entries_;
  std::uint32_t const* gnu_table_ = nullptr;
  std::uint32_t const* old_table_ = nullptr;  // DT_HASH
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
  // Empty on failure.
  dl_phdr_info segments() const;

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
  friend bool operator==(LoadCounts const&, LoadCounts const&) = default;
};

// A copy of the paths of loaded objects, for work outside dl_iterate_phdr(), which holds a lock of the dynamic linker.
class LoadedList {
 public:
  // Lists the objects from first to end for which is_wanted() returns true. The dynamic linker appends what it loads,
  // so that the last ones are the newest.
  template <class Predicate>
  explicit LoadedList(Predicate is_wanted, std::size_t first = 0, std::size_t end = SIZE_MAX) {
    auto const ask = [](void const* predicate, dl_phdr_info const& object) -> bool {
      return (*static_cast<Predicate const*>(predicate))(object);
    };
    fill(ask, &is_wanted, first, end);
  }
  LoadedList(LoadedList const&) = delete;
  LoadedList& operator=(LoadedList const&) = delete;
  ~LoadedList();

  // The number of objects that were loaded at that moment: the program, and those that were not asked about, count.
  std::size_t loaded_objects() const { return loaded_objects_; }
  // LoadCounts::now() at that moment.
  LoadCounts counts() const { return counts_; }

  bool is_empty() const { return length_ == 0; }
  // Calls visit(path) for each object except the program, which has no path.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (char const* path = paths_; path != paths_ + length_;) {
      visit(path);
      while (*path++ != '\0') {
      }
    }
  }

 private:
  using Ask = bool (*)(void const* predicate, dl_phdr_info const& object);
  void fill(Ask ask, void const* predicate, std::size_t first, std::size_t end);
  void release();

  char few_[2048];      // without system calls where few objects are listed, as after most calls of dlopen()
  char* paths_ = few_;  // all paths, each ended by a zero
  std::size_t length_ = 0;
  std::size_t capacity_ = sizeof few_;
  std::size_t loaded_objects_ = 0;
  LoadCounts counts_;
};

}  // namespace commprof::front
