// A program or library, as its file tells of it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace commprof_launcher {

struct ElfFile {
  int machine = 0;  // EM_…
  bool is_64_bit = false;
  std::string interpreter;  // the dynamic linker; empty: a library, or linked statically
  std::string soname;
  std::vector<std::string> needed;         // libraries, as it asks for them
  std::string rpath, runpath;              // where it looks for them
  std::set<std::string> imports, exports;  // symbols; the exports of a program linked statically are all its functions
  bool is_dynamic = false;
};

// Nothing for a file that is none, or cannot be read.
[[nodiscard]] std::optional<ElfFile> read_elf(std::string const& path);

// x86-64, AArch64 …, for people.
[[nodiscard]] std::string machine_name(ElfFile const& file);

}  // namespace commprof_launcher
