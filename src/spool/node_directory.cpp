#include "spool/node_directory.hpp"

#include <sys/statfs.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace commprof::spool {

namespace {

// Creates no missing parents: a parent may exist on other hosts only, and then is not a place for this host.
Descriptor open_in(std::string_view directory, std::string_view name, char (&path)[PATH_MAX]) {
  int const length = static_cast<int>(directory.size());
  if (directory.empty() || std::snprintf(path, sizeof path, "%.*s", length, directory.data()) >= PATH_MAX) return {};
  if (access(path, W_OK | X_OK) != 0 || is_on_shared(path)) return {};
  int const end = std::snprintf(path, sizeof path, "%.*s/%.*s", length, directory.data(), static_cast<int>(name.size()),
                                name.data());
  return end < PATH_MAX ? open_private_directory(path) : Descriptor();
}

}  // namespace

bool is_on_shared(char const* directory) {
  struct statfs status {};
  return statfs(directory, &status) == 0 && is_shared(static_cast<std::uint32_t>(status.f_type));
}

NodeDirectories node_directories() {
  NodeDirectories found;
  char const* const wanted = std::getenv("TMPDIR");
  if (wanted != nullptr && *wanted == '/') found.paths[found.count++] = wanted;
  for (char const* const path : {"/tmp", "/var/tmp", "/dev/shm"}) found.paths[found.count++] = path;
  return found;
}

Descriptor open_on_node(std::string_view preferred, std::string_view name, char (&path)[PATH_MAX]) {
  if (Descriptor directory = open_in(preferred, name, path)) return directory;
  for (char const* const one : node_directories())
    if (Descriptor directory = open_in(one, name, path)) return directory;
  path[0] = '\0';
  return {};
}

}  // namespace commprof::spool
