// What the files of a program and of its libraries tell, without running it.
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
  std::set<std::string> imports, exports;  // symbols; a statically linked program exports all its functions
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

// Asks this program's own dynamic linker for the libraries of a program or library. The linker named in the program is
// not run: that may be any program. They come in the order of loading, each once.
[[nodiscard]] std::vector<Library> libraries_of(std::string const& path);

struct Inspected {
  std::string path;                          // the program, or the interpreter of a script
  std::vector<std::string> scripts;          // scripts that lead to it, first the one that was named
  bool is_shell = false, is_python = false;  // the interpreter is a shell, or a Python
  bool gains_rights = false;                 // setuid, setgid or capabilities: the dynamic linker preloads nothing
  ElfFile file;
  std::vector<Library> libraries;  // of the program, as the dynamic linker finds them, in its order
};

// Throws std::runtime_error with a one-line message if the program cannot be run or read.
[[nodiscard]] Inspected inspect(std::string const& program);

}  // namespace commprof_launcher
