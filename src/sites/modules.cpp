#include "sites/modules.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace commprof {

namespace {

struct Search {
  std::uintptr_t address;
  LoadedModule& found;
  bool is_first = true;  // the program itself is the first in the list
};

// Finds the build id among the notes in memory; each is a header, a name and a content, padded to words.
void read_build_id(std::uintptr_t notes, std::size_t bytes, char (&text)[LoadedModule::max_build_id + 1]) {
  auto const padded = [](std::size_t length) { return (length + 3) & ~std::size_t{3}; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    auto const* const note = reinterpret_cast<ElfW(Nhdr) const*>(notes + at);
    std::size_t const name = at + sizeof *note, content = name + padded(note->n_namesz);
    at = content + padded(note->n_descsz);
    bool const is_wanted = note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof ELF_NOTE_GNU && at <= bytes &&
                           std::memcmp(reinterpret_cast<void*>(notes + name), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (!is_wanted) continue;
    auto const* const id = reinterpret_cast<unsigned char const*>(notes + content);
    std::size_t const length = std::min<std::size_t>(note->n_descsz, LoadedModule::max_build_id / 2);
    for (std::size_t i = 0; i < length; ++i) std::snprintf(text + 2 * i, 3, "%02x", id[i]);
    return;
  }
}

// Removes the suffix that the system adds to the name of a deleted file.
void remove_note(char* path, char const* note) {
  std::size_t const length = std::strlen(path), of_note = std::strlen(note);
  if (length > of_note && std::strcmp(path + length - of_note, note) == 0) path[length - of_note] = '\0';
}

int read_first_page(dl_phdr_info* module, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool const is_program = search.is_first;
  search.is_first = false;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    ElfW(Phdr) const& part = module->dlpi_phdr[i];
    std::uintptr_t const begin = module->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search.address - begin >= part.p_memsz) continue;
    LoadedModule& found = search.found;
    found.base = module->dlpi_addr;
    found.begin = begin;
    found.end = begin + part.p_memsz;
    ssize_t const length = is_program ? readlink("/proc/self/exe", found.path, sizeof found.path - 1) : -1;
    if (length > 0) {
      found.path[length] = '\0';
      remove_note(found.path, " (deleted)");
    } else if (module->dlpi_name[0] == '/' || realpath(module->dlpi_name, found.path) == nullptr) {
      std::snprintf(found.path, sizeof found.path, "%s", module->dlpi_name);
    }
    for (int k = 0; k < module->dlpi_phnum; ++k)
      if (module->dlpi_phdr[k].p_type == PT_NOTE && found.build_id[0] == '\0')
        read_build_id(module->dlpi_addr + module->dlpi_phdr[k].p_vaddr, module->dlpi_phdr[k].p_memsz, found.build_id);
    return 1;
  }
  return 0;
}

}  // namespace

bool find_module(std::uintptr_t address, LoadedModule& found) {
  Search search{address, found};
  return dl_iterate_phdr(read_first_page, &search) != 0;
}

std::uint64_t unloaded_modules() {
  std::uint64_t number = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        *static_cast<std::uint64_t*>(data) = module->dlpi_subs;
        return 1;
      },
      &number);
  return number;
}

}  // namespace commprof
