// What the files of programs and libraries tell, and which libraries a program loads.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace commprof_launcher {

struct ElfFile {
  int machine = 0;  // EM_…
  bool is_64_bit = false;
  std::string interpreter;  // path of the dynamic linker; empty for a library or a statically linked program
  std::string soname;
  std::vector<std::string> needed;         // names of the libraries that it asks for
  std::string rpath, runpath;              // directories in which it looks for them
  std::set<std::string> imports, exports;  // symbols; a statically linked program exports all its functions
  bool is_dynamic = false;
};

// Nothing if the file cannot be read or is not an ELF file.
[[nodiscard]] std::optional<ElfFile> read_elf(std::string const& path);

// A name for people: x86-64, AArch64 …
[[nodiscard]] std::string machine_name(ElfFile const& file);

struct Library {
  std::string name;  // as the program or library asks for it
  std::string path;  // empty if not found
  ElfFile file;
};

// Finds the libraries of a program as glibc's dynamic linker does. Does not run the linker named in the program: that
// may be any program. They come in the order of loading, each once. path: of the program or library that `file`
// describes.
[[nodiscard]] std::vector<Library> libraries_of(std::string const& path, ElfFile const& file);

}  // namespace commprof_launcher
