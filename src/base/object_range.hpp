// Where the program or a library lies in memory, and what it is called.
#pragma once

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace commprof {

struct ObjectRange {
  std::uintptr_t begin = 0, end = 0;
  char const* path = nullptr;  // "": the program; nullptr: there is no such object
  std::uintptr_t base = 0;     // difference between addresses in memory and in the file
  ElfW(Phdr) const* segments = nullptr;
  int count = 0;  // of segments

  bool contains(std::uintptr_t address) const { return address - begin < end - begin; }
  bool contains(void const* address) const { return contains(reinterpret_cast<std::uintptr_t>(address)); }

  static ObjectRange of(dl_phdr_info const& object) {
    ObjectRange range{
        UINTPTR_MAX,      0, object.dlpi_name == nullptr ? "" : object.dlpi_name, object.dlpi_addr, object.dlpi_phdr,
        object.dlpi_phnum};
    for (int i = 0; i < object.dlpi_phnum; ++i) {
      ElfW(Phdr) const& segment = object.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      std::uintptr_t const first = object.dlpi_addr + segment.p_vaddr;
      range.begin = std::min(range.begin, first);
      range.end = std::max(range.end, first + segment.p_memsz);
    }
    return range;
  }
  // The object that has the address. Asks the dynamic linker, which has a lock.
  static ObjectRange at(std::uintptr_t address) {
    struct Search {
      std::uintptr_t address;
      ObjectRange found;
    } search{address, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& [wanted, found] = *static_cast<Search*>(data);
          ObjectRange const object = of(*info);
          bool const is_it = wanted == 0 || object.contains(wanted);
          if (is_it) found = object;
          return is_it ? 1 : 0;
        },
        &search);
    return search.found;
  }
  static ObjectRange at(void const* address) { return at(reinterpret_cast<std::uintptr_t>(address)); }
  // The program is the first in the linker's list.
  static ObjectRange program() { return at(std::uintptr_t{0}); }
};

}  // namespace commprof
