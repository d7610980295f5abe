// Finds the libraries of a program as glibc's dynamic linker does. Does not run the linker named in the program: that
// may be any program.
#pragma once

#include <string>
#include <vector>

#include "doctor/elf_file.hpp"

namespace commprof_launcher {

struct Library {
  std::string name;  // as the program or library asks for it
  std::string path;  // empty if not found
  ElfFile file;
};

// In the order of loading, each once. path: of the program or library that `file` describes.
[[nodiscard]] std::vector<Library> libraries_of(std::string const& path, ElfFile const& file);

// The paths that /etc/ld.so.cache has for a library. cache: the contents of that file.
[[nodiscard]] std::vector<std::string> paths_in_cache(std::string const& cache, std::string_view name);

}  // namespace commprof_launcher
