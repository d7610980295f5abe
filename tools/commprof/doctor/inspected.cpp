#include "doctor/inspected.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "launch/launchers.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

std::string found(std::string const& name) {
  std::string path = find_executable(name);
  if (!path.empty()) return path;
  std::error_code error;
  if (!fs::exists(name, error)) throw std::runtime_error(fmt::format("there is no program {}", name));
  throw std::runtime_error(name.ends_with(".py")
                               ? fmt::format("{} cannot be executed: ask for the Python that runs it", name)
                               : fmt::format("{} cannot be executed", name));
}

// The interpreter of a script: of "#!/usr/bin/env -S python3 -u", python3. Empty for what is none.
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

// Lines such as "libmpi.so.40 => /lib/libmpi.so.40 (0x…)" and "libfoo.so => not found".
std::vector<Library> libraries_of(std::string const& interpreter, std::string const& path) {
  std::vector<Library> libraries;
  std::istringstream lines(output_of({interpreter, "--list", path}));
  for (std::string line; std::getline(lines, line);) {
    std::size_t const arrow = line.find(" => ");
    if (arrow == line.npos) continue;
    std::string const name = line.substr(line.find_first_not_of(" \t"), arrow - line.find_first_not_of(" \t"));
    std::string place = line.substr(arrow + 4);
    place = place.starts_with("not found") ? "" : place.substr(0, place.rfind(" ("));
    libraries.push_back({name, place, read_elf(place).value_or(ElfFile{})});
  }
  return libraries;
}

// mpi4py's module is asked for without importing it, which would start MPI.
std::optional<Library> find_mpi4py(std::string const& python) {
  std::string directory = output_of(
      {python, "-c",
       "import importlib.util as u; s = u.find_spec('mpi4py'); print(s.submodule_search_locations[0] if s else '')"});
  directory.erase(std::find(directory.begin(), directory.end(), '\n'), directory.end());
  std::error_code error;
  if (directory.empty()) return std::nullopt;
  for (fs::directory_entry const& entry : fs::directory_iterator(directory, error)) {
    std::string const name = entry.path().filename().string();
    if (name.starts_with("MPI.") && name.ends_with(".so"))
      return Library{"mpi4py", entry.path().string(), read_elf(entry.path().string()).value_or(ElfFile{})};
  }
  return std::nullopt;
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
  result.is_python = name.starts_with("python") || name.starts_with("pypy");
  constexpr std::string_view shells[] = {"sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish"};
  result.is_shell = std::ranges::find(shells, name) != std::end(shells);
  result.gains_rights = gains_rights(result.path);
  auto file = read_elf(result.path);
  if (!file) throw std::runtime_error(fmt::format("{} is no program of this system (ELF) and no script", result.path));
  result.file = std::move(*file);
  if (result.file.interpreter.empty()) return result;
  result.libraries = libraries_of(result.file.interpreter, result.path);
  if (!result.is_python) return result;
  result.module_of_python = find_mpi4py(result.path);
  if (result.module_of_python)
    for (Library& library : libraries_of(result.file.interpreter, result.module_of_python->path))
      if (std::ranges::find(result.libraries, library.path, &Library::path) == result.libraries.end())
        result.libraries.push_back(std::move(library));
  return result;
}

}  // namespace commprof_launcher
