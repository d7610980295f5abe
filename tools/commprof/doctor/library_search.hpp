// The libraries of a program, found as the dynamic linker of glibc finds them, which is not run: that of a program may
// be any program.
#pragma once

#include <string>
#include <vector>

#include "doctor/elf_file.hpp"

namespace commprof_launcher {

struct Library {
  std::string name;  // as it is asked for
  std::string path;  // empty: it is not found
  ElfFile file;
};

// In the order of their loading, each once. path: of the program or library whose they are.
[[nodiscard]] std::vector<Library> libraries_of(std::string const& path, ElfFile const& file);

// The paths that /etc/ld.so.cache has for a library: `cache` is what is in that file.
[[nodiscard]] std::vector<std::string> paths_in_cache(std::string const& cache, std::string_view name);

}  // namespace commprof_launcher
