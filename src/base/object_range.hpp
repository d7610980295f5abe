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

  bool contains(std::uintptr_t address) const { return address - begin < end - begin; }
  bool contains(void const* address) const { return contains(reinterpret_cast<std::uintptr_t>(address)); }

  // The object that has the address in one of its segments. Asks the dynamic linker, which has a lock.
  static ObjectRange at(std::uintptr_t address) {
    struct Search {
      std::uintptr_t address;
      ObjectRange found;
    } search{address, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& [wanted, found] = *static_cast<Search*>(data);
          ObjectRange object{UINTPTR_MAX, 0, info->dlpi_name == nullptr ? "" : info->dlpi_name};
          bool is_it = wanted == 0;
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
            std::uintptr_t const first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            ObjectRange const segment{first, first + info->dlpi_phdr[i].p_memsz};
            object.begin = std::min(object.begin, segment.begin);
            object.end = std::max(object.end, segment.end);
            is_it = is_it || segment.contains(wanted);
          }
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
