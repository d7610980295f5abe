#include "launch/install_paths.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

fs::path own_directory() { return fs::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace

std::string library_path() {
  fs::path const own = own_directory();
  for (char const* const directory : {COMMPROF_LIBRARY_FROM_BIN, "../lib"})
    if (fs::path const path = own / directory / "libcommprof.so"; fs::exists(path))
      return path.lexically_normal().string();
  throw std::runtime_error(
      fmt::format("there is no libcommprof.so in {}", (own / COMMPROF_LIBRARY_FROM_BIN).lexically_normal().string()));
}

std::string reader_path() {
  fs::path const path = own_directory() / "mpisee-through";
  if (fs::exists(path)) return path.string();
  throw std::runtime_error(fmt::format("there is no mpisee-through in {}", own_directory().string()));
}

}  // namespace commprof_launcher
