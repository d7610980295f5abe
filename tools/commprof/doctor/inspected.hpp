// What can be found out about a program without running it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/elf_file.hpp"
#include "doctor/library_search.hpp"

namespace commprof_launcher {

struct Inspected {
  std::string path;                          // of the program, or of the interpreter of a script
  std::vector<std::string> scripts;          // that lead there, the first as it was named
  bool is_shell = false, is_python = false;  // the interpreter
  bool gains_rights = false;                 // setuid, setgid or capabilities: the dynamic linker preloads nothing
  ElfFile file;
  std::vector<Library> libraries;           // of the program, as the dynamic linker finds them, in its order
  std::optional<Library> module_of_python;  // mpi4py's, with its libraries
};

// Throws std::runtime_error, one line, for what cannot be run or read.
[[nodiscard]] Inspected inspect(std::string const& program);

}  // namespace commprof_launcher
