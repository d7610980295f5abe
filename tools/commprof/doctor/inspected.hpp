// What the files of a program and of its libraries tell, without running it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/elf.hpp"

namespace commprof_launcher {

struct Inspected {
  std::string path;                          // the program, or the interpreter of a script
  std::vector<std::string> scripts;          // scripts that lead to it, first the one that was named
  bool is_shell = false, is_python = false;  // the interpreter is a shell, or a Python
  bool gains_rights = false;                 // setuid, setgid or capabilities: the dynamic linker preloads nothing
  ElfFile file;
  std::vector<Library> libraries;           // of the program, as the dynamic linker finds them, in its order
  std::optional<Library> module_of_python;  // mpi4py's module, with its libraries
};

// Throws std::runtime_error with a one-line message if the program cannot be run or read.
[[nodiscard]] Inspected inspect(std::string const& program);

}  // namespace commprof_launcher
