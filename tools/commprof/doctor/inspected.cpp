#include "doctor/inspected.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cstdlib>
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

void add_subdirectories(std::vector<fs::path>& places, fs::path const& directory, std::string_view start) {
  std::error_code error;
  for (fs::directory_entry const& entry : fs::directory_iterator(directory, error))
    if (entry.path().filename().string().starts_with(start))
      for (char const* const packages : {"site-packages", "dist-packages"}) places.push_back(entry.path() / packages);
}

// The directories in which a Python looks for modules, as far as its path shows. Does not run it.
std::vector<fs::path> places_of_modules(std::string const& python) {
  std::vector<fs::path> places;
  char const *const path = std::getenv("PYTHONPATH"), *const home = std::getenv("HOME");
  std::istringstream words(path == nullptr ? "" : path);
  for (std::string word; std::getline(words, word, ':');) places.emplace_back(word);
  std::error_code error;
  fs::path const file = fs::canonical(python, error);
  std::string const name = file.filename().string();
  // a name without a version may be any Python 3
  std::string const version = name.starts_with("python3.") ? name : "python3";
  std::vector<fs::path> prefixes{fs::absolute(python, error).parent_path().parent_path()};  // of a virtual environment
  if (home != nullptr) prefixes.push_back(fs::path(home) / ".local");
  prefixes.insert(prefixes.end(), {"/usr/local", file.parent_path().parent_path()});
  for (fs::path const& prefix : prefixes)
    for (char const* const library : {"lib", "lib64"}) {
      add_subdirectories(places, prefix / library, version);
      places.push_back(prefix / library / "python3" / "dist-packages");
    }
  return places;
}

std::optional<Library> find_mpi4py(std::string const& python) {
  std::error_code error;
  for (fs::path const& place : places_of_modules(python))
    for (fs::directory_entry const& entry : fs::directory_iterator(place / "mpi4py", error)) {
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
  std::string_view const stem = std::string_view(name).substr(0, name.find_first_of("0123456789."));
  result.is_python = stem == "python" || stem == "pypy";
  constexpr std::string_view shells[] = {"sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish"};
  result.is_shell = std::ranges::find(shells, name) != std::end(shells);
  result.gains_rights = gains_rights(result.path);
  auto file = read_elf(result.path);
  if (!file) throw std::runtime_error(fmt::format("{} is no program of this system (ELF) and no script", result.path));
  result.file = std::move(*file);
  if (result.file.interpreter.empty()) return result;
  result.libraries = libraries_of(result.path, result.file);
  if (!result.is_python) return result;
  result.module_of_python = find_mpi4py(result.path);
  if (result.module_of_python)
    for (Library& library : libraries_of(result.module_of_python->path, result.module_of_python->file))
      if (std::ranges::find(result.libraries, library.path, &Library::path) == result.libraries.end())
        result.libraries.push_back(std::move(library));
  return result;
}

}  // namespace commprof_launcher
