#include "doctor/inspected.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "launch/launchers.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

std::string found(std::string const& name) {
  std::string path = find_executable(name);
  if (!path.empty()) return path;
  std::error_code error;
  if (!fs::exists(name, error)) throw std::runtime_error(fmt::format("there is no program {}", name));
  throw std::runtime_error(
      name.ends_with(".py")
          ? fmt::format("{0} cannot be executed; with the Python that runs it: commprof doctor python3 {0}", name)
          : fmt::format("{} cannot be executed", name));
}

// The interpreter of a script: python3 for "#!/usr/bin/env -S python3 -u". Empty if the file is not a script.
std::string interpreter_of_script(std::string const& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return {};
  std::istringstream words(line.substr(2));
  std::string word;
  words >> word;
  if (fs::path(word).filename() != "env") return word;
  while (words >> word)
    if (!word.starts_with('-') && word.find('=') == word.npos) return word;
  return {};
}

bool gains_rights(std::string const& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0) return true;
  return getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

// mpi4py's module where a Python looks for modules, as far as its path shows. Does not run it.
std::optional<Library> find_mpi4py(std::string const& python) {
  char const *const path = std::getenv("PYTHONPATH"), *const home = std::getenv("HOME");
  std::vector<std::string> places;
  std::istringstream words(path == nullptr ? "" : path);
  for (std::string word; std::getline(words, word, ':');) places.push_back(word);
  fs::path const file = fs::canonical(python), name = file.filename();
  // A name without a version may be any Python 3. The first prefix is that of a virtual environment.
  std::string const version = name.string().starts_with("python3.") ? name.string() : "python3*";
  for (fs::path const& prefix :
       {fs::absolute(python).parent_path().parent_path(), fs::path(home == nullptr ? "" : home) / ".local",
        fs::path("/usr/local"), file.parent_path().parent_path()})
    places.push_back(fmt::format("{}/lib*/{{python3,{}}}/*-packages", prefix.string(), version));
  std::optional<Library> module;
  for (std::string const& place : places) {
    glob_t found{};
    if (!module && glob((place + "/mpi4py/MPI.*.so").c_str(), GLOB_BRACE, nullptr, &found) == 0)
      module = Library{"mpi4py", found.gl_pathv[0], read_elf(found.gl_pathv[0]).value_or(ElfFile{})};
    globfree(&found);
  }
  return module;
}

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using OpenElf = std::unique_ptr<Elf, EndElf>;

char const* text_at(Elf* elf, std::size_t section, std::size_t offset) {
  char const* const text = elf_strptr(elf, section, offset);
  return text == nullptr ? "" : text;
}

void read_symbols(Elf* elf, Elf_Scn* section, GElf_Shdr const& header, ElfFile& file) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr) return;
  GElf_Sym symbol;
  for (int i = 1; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
    if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    (symbol.st_shndx == SHN_UNDEF ? file.imports : file.exports).emplace(text_at(elf, header.sh_link, symbol.st_name));
  }
}

void read_dynamic(Elf* elf, Elf_Scn* section, GElf_Shdr const& header, ElfFile& file) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr) return;
  GElf_Dyn entry;
  for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
    auto const text = [&] { return text_at(elf, header.sh_link, entry.d_un.d_val); };
    if (entry.d_tag == DT_SONAME) file.soname = text();
    if (entry.d_tag == DT_NEEDED) file.needed.emplace_back(text());
  }
}

template <class Visit>
void for_each_section(Elf* elf, Visit&& visit) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr) visit(section, header);
  }
}

std::string interpreter_of(Elf* elf) {
  std::size_t count = 0, size = 0;
  char const* const bytes = elf_rawfile(elf, &size);
  if (bytes == nullptr || elf_getphdrnum(elf, &count) != 0) return {};
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_INTERP) continue;
    if (header.p_offset >= size || header.p_filesz > size - header.p_offset) continue;
    std::string_view const text(bytes + header.p_offset, header.p_filesz);
    return std::string(text.substr(0, text.find('\0')));
  }
  return {};
}

}  // namespace

Inspected inspect(std::string const& program) {
  Inspected result;
  result.path = found(program);
  for (std::string next; !(next = interpreter_of_script(result.path)).empty() && result.scripts.size() < 5;) {
    result.scripts.push_back(result.path);
    result.path = found(next);
  }
  std::string const name = fs::canonical(result.path).filename().string();
  std::string_view const stem = std::string_view(name).substr(0, name.find_first_of("0123456789."));
  result.is_python = stem == "python" || stem == "pypy";
  constexpr std::string_view shells[] = {"sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish"};
  result.is_shell = std::ranges::find(shells, name) != std::end(shells);
  result.gains_rights = gains_rights(result.path);
  auto file = read_elf(result.path);
  if (!file) throw std::runtime_error(fmt::format("{} is no program of this system (ELF) and no script", result.path));
  result.file = std::move(*file);
  if (result.file.interpreter.empty()) return result;
  result.libraries = libraries_of(result.path);
  if (auto const module = result.is_python ? find_mpi4py(result.path) : std::nullopt)
    for (Library& library : libraries_of(module->path))
      if (std::ranges::find(result.libraries, library.path, &Library::path) == result.libraries.end())
        result.libraries.push_back(std::move(library));
  return result;
}

std::optional<ElfFile> read_elf(std::string const& path) {
  elf_version(EV_CURRENT);
  commprof::Descriptor const opened(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened) return std::nullopt;
  OpenElf const elf(elf_begin(opened.get(), ELF_C_READ, nullptr));  // read, not mapped: the file may become shorter
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr) return std::nullopt;
  ElfFile file;
  file.machine = header.e_machine;
  file.is_64_bit = gelf_getclass(elf.get()) == ELFCLASS64;
  file.interpreter = interpreter_of(elf.get());
  for_each_section(elf.get(), [&](Elf_Scn* section, GElf_Shdr const& of_section) {
    if (of_section.sh_type == SHT_DYNSYM) read_symbols(elf.get(), section, of_section, file);
    if (of_section.sh_type == SHT_DYNAMIC) read_dynamic(elf.get(), section, of_section, file);
  });
  if (file.interpreter.empty() && file.soname.empty())
    for_each_section(elf.get(), [&](Elf_Scn* section, GElf_Shdr const& of_section) {
      if (of_section.sh_type == SHT_SYMTAB) read_symbols(elf.get(), section, of_section, file);
    });
  return file;
}

std::string machine_name(ElfFile const& file) {
  if (file.machine == EM_X86_64) return file.is_64_bit ? "x86-64" : "x32";
  return file.machine == EM_AARCH64 ? "AArch64" : fmt::format("machine {}", file.machine);
}

// Lines are "\tlibm.so.6 => /lib/libm.so.6 (0x…)", "\tlibfoo.so => not found", or have the path alone.
std::vector<Library> libraries_of(std::string const& path) {
  std::string const linker = read_elf("/proc/self/exe").value_or(ElfFile{}).interpreter;
  std::istringstream lines(output_of({"env", "-u", "LD_PRELOAD", "LD_TRACE_LOADED_OBJECTS=1", linker, path}));
  std::vector<Library> found;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view arrow = " => ";
    std::size_t const begin = line.find_first_not_of('\t'), at = line.find(arrow), end = line.rfind(" (0x");
    if (begin == line.npos || (at == line.npos && (end == line.npos || line[begin] != '/'))) continue;
    std::string const name = line.substr(begin, std::min(at, end) - begin),
                      place = at == line.npos    ? name
                              : end == line.npos ? ""
                                                 : line.substr(at + arrow.size(), end - at - arrow.size());
    found.push_back({name, place, read_elf(place).value_or(ElfFile{})});
  }
  return found;
}

}  // namespace commprof_launcher
