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
#include <string_view>

namespace commprof::front {

// The system's dlsym(), which the front interposes.
using Dlsym = void* (*)(void* handle, char const* symbol);
Dlsym system_dlsym();

// The definition of a symbol that follows the front's in the global scope; nullptr if there is none.
void* next_definition(char const* symbol);

// The dynamic section of an object.
class DynamicSection {
 public:
  DynamicSection(ElfW(Addr) base, ElfW(Dyn) const* entries);

  // "" if it has none.
  std::string_view soname() const { return soname_ == 0 || texts_ == nullptr ? std::string_view{} : texts_ + soname_; }

  // Calls visit(name, slot, addend) for each slot of the object that the dynamic linker fills with the address of a
  // symbol of another object.
  template <class Visitor>
  void for_each_import(Visitor&& visit) const {
    if (symbols_ == nullptr || texts_ == nullptr) return;
    for (Relocations const& table : {relocations_, jumps_})
      for (ElfW(Rela) const* entry = table.begin; entry != table.end; ++entry) {
        if (!fills_slot(ELF64_R_TYPE(entry->r_info))) continue;
        ElfW(Sym) const& symbol = symbols_[ELF64_R_SYM(entry->r_info)];
        if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) continue;
        visit(texts_ + symbol.st_name, reinterpret_cast<void**>(base_ + entry->r_offset), entry->r_addend);
      }
  }

 private:
  struct Relocations {
    ElfW(Rela) const* begin = nullptr;
    ElfW(Rela) const* end = nullptr;
  };
  static bool fills_slot(std::uint64_t type);

  ElfW(Addr) base_;
  ElfW(Sym) const* symbols_ = nullptr;
  char const* texts_ = nullptr;
  std::size_t soname_ = 0;  // in the texts; 0: none
  Relocations relocations_, jumps_;
};

// An object, kept loaded as long as this lives.
class LoadedObject {
 public:
  LoadedObject() = default;
  // The loaded object of this name; empty if there is none.
  explicit LoadedObject(char const* name);
  // The object that contains an address.
  static LoadedObject at(void const* address);
  LoadedObject(LoadedObject&& other) noexcept : handle_(other.handle_), map_(other.map_) {
    other.handle_ = other.map_ = nullptr;
  }
  LoadedObject& operator=(LoadedObject&& other) noexcept;
  ~LoadedObject();

  explicit operator bool() const { return map_ != nullptr; }
  // Leaves the object loaded for good.
  void* keep();

  char const* path() const { return map_->l_name; }
  // Looks the symbol up in the object and what it depends on.
  void* find(char const* symbol) const { return system_dlsym()(handle_, symbol); }
  // Looks the symbol up in the object alone.
  void* find_own(char const* symbol) const;
  bool is_same_as(LoadedObject const& other) const { return map_ == other.map_; }
  bool contains(void const* address) const;
  // Stores an address in one of its slots, which the dynamic linker may have made read-only.
  void write(void** slot, void* address) const;

  DynamicSection dynamic_section() const { return {map_->l_addr, map_->l_ld}; }

 private:
  bool is_read_only_after_start(std::uintptr_t place) const;

  explicit LoadedObject(void* handle);

  void* handle_ = nullptr;
  link_map* map_ = nullptr;
};

}  // namespace commprof::front
