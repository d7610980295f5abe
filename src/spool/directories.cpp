#include "spool/directories.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace commprof {

namespace {

// O_PATH also opens directories that this user cannot list. O_DIRECTORY triggers an automount.
constexpr int as_directory = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Checks only the owner: no other user can make a directory that this user owns.
Descriptor open_existing(char const* path) {
  Descriptor directory(::open(path, as_directory));
  struct stat status {};
  if (!directory || fstat(directory.get(), &status) != 0 || status.st_uid == geteuid()) return directory;
  errno = EACCES;
  return {};
}

}  // namespace

bool make_parents(char const* path, char (&parent)[PATH_MAX], mode_t mode) {
  std::snprintf(parent, sizeof parent, "%s", path);
  for (char* slash = parent + 1; (slash = std::strchr(slash, '/')) != nullptr; ++slash) {
    *slash = '\0';
    if (mkdir(parent, mode) != 0 && errno != EEXIST) {
      // Some systems fail to create an existing directory with another error than EEXIST: only a missing parent is a
      // problem.
      int const error = errno;
      if (access(parent, F_OK) != 0) return (errno = error, false);
    }
    *slash = '/';
  }
  return true;
}

Descriptor open_private_directory(char const* path) {
  if (Descriptor directory = open_existing(path)) return directory;
  char parent[PATH_MAX];
  if (!make_parents(path, parent, 0700) || (mkdir(path, 0700) != 0 && errno != EEXIST)) return {};
  return open_existing(path);
}

namespace spool {

namespace {

// Creates no missing parents: a parent may exist on other hosts only, and then is not a place for this host.
Descriptor open_in(std::string_view directory, std::string_view name, char (&path)[PATH_MAX]) {
  int const length = static_cast<int>(directory.size());
  if (directory.empty() || std::snprintf(path, sizeof path, "%.*s", length, directory.data()) >= PATH_MAX) return {};
  if (access(path, W_OK | X_OK) != 0 || find_unsuited(path) != nullptr) return {};
  int const end = std::snprintf(path, sizeof path, "%.*s/%.*s", length, directory.data(), static_cast<int>(name.size()),
                                name.data());
  return end < PATH_MAX ? open_private_directory(path) : Descriptor();
}

}  // namespace

UnsuitedFileSystem const* find_unsuited(char const* directory) {
  struct statfs status {};
  return statfs(directory, &status) == 0 ? find_unsuited(static_cast<std::uint32_t>(status.f_type)) : nullptr;
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

}  // namespace spool

}  // namespace commprof
