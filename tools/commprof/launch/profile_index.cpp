#include "launch/profile_index.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

// The directory that certainly contains the path: the part before the last component, and before the first component
// with a % in it.
std::string known_parent(std::string const& output) {
  std::string const known = output.substr(0, output.find('%'));
  std::size_t const slash = known.rfind('/');
  return slash == known.npos ? "." : slash == 0 ? "/" : known.substr(0, slash);
}

}  // namespace

ProfileIndex::ProfileIndex(std::string const& output) {
  std::error_code error;
  for (fs::path const& directory : {fs::path(known_parent(output)), fs::path("."), fs::temp_directory_path(error),
                                    fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm")}) {
    std::string name = (fs::absolute(directory, error) / ".commprof-index-XXXXXX").lexically_normal().string();
    int const file = mkstemp(name.data());
    if (file < 0) continue;
    close(file);
    path_ = name;
    return;
  }
  throw std::runtime_error("cannot make a file in the working directory, nor one in that of temporary files");
}

ProfileIndex::~ProfileIndex() { unlink(path_.c_str()); }

std::vector<std::string> ProfileIndex::profiles() const {
  std::ifstream file(path_);
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);)
    if (std::ranges::find(found, line) == found.end()) found.push_back(line);
  return found;
}

void note_end(std::vector<std::string> const& profiles, mpisee_through::CommandEnd const& end) {
  std::error_code error;
  for (fs::path const profile : profiles)
    if (fs::is_directory(profile / "spool", error)) mpisee_through::write_command_end(profile / "spool", end);
}

}  // namespace commprof_launcher
