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
constexpr int max_links = 40;  // as in Linux

bool fail(int error) {
  errno = error;
  return false;
}

// The rule by which Linux follows symbolic links (protected_symlinks). The owner of a directory is trusted, since it
// can replace every entry anyway.
bool may_be_passed(struct stat const& entry, struct stat const& directory) {
  constexpr mode_t shared = S_ISVTX | S_IWOTH;
  bool const is_shared = (directory.st_mode & shared) == shared;
  return !is_shared || entry.st_uid == geteuid() || entry.st_uid == 0 || entry.st_uid == directory.st_uid;
}

// Opens a path one component at a time: nobody can replace a component that is open.
class Walk {
 public:
  explicit Walk(char const* path) : here_(at_start_of(path)) {
    std::snprintf(rest_, sizeof rest_, "%s", path);
    fits_ = std::strlen(path) < sizeof rest_;
  }

  // Returns whether the walk has come to a directory of this user.
  bool to_end() {
    if (!fits_) return fail(ENAMETOOLONG);
    if (!here_ || fstat(here_.get(), &status_) != 0) return false;
    for (std::string_view component; !(component = next_component()).empty();)
      if (!pass(component)) return false;
    return status_.st_uid == geteuid() || fail(EACCES);
  }
  Descriptor take() { return std::move(here_); }

 private:
  static Descriptor at_start_of(char const* path) { return Descriptor(::open(*path == '/' ? "/" : ".", as_directory)); }

  std::string_view next_component() {
    std::string_view rest = rest_ + at_;
    std::size_t const begin = rest.find_first_not_of('/');
    if (begin == rest.npos) return {};
    rest = rest.substr(begin, rest.find('/', begin) - begin);
    at_ += begin + rest.size();
    return rest;
  }
  bool is_at_end() const { return std::strspn(rest_ + at_, "/") == std::strlen(rest_ + at_); }

  bool pass(std::string_view component) {
    char name[NAME_MAX + 1];
    if (component.size() >= sizeof name) return fail(ENAMETOOLONG);
    name[component.copy(name, NAME_MAX)] = '\0';
    Descriptor next(openat(here_.get(), name, as_directory));
    if (!next && errno == ENOENT) {
      if (mkdirat(here_.get(), name, 0700) != 0 && errno != EEXIST)
        return false;  // EEXIST: another process has made it
      is_made_ = true;
      next = Descriptor(openat(here_.get(), name, as_directory));
    }
    if (!next) return (errno == ENOTDIR || errno == ELOOP) && follow_link(name);
    struct stat status {};
    if (fstat(next.get(), &status) != 0) return false;
    if (is_made_ ? status.st_uid != geteuid() : !may_be_passed(status, status_)) return fail(EACCES);
    here_ = std::move(next);
    status_ = status;
    return true;
  }

  // Replaces the link in the rest of the path by its target.
  bool follow_link(char const* name) {
    struct stat link {};
    if (fstatat(here_.get(), name, &link, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (!S_ISLNK(link.st_mode) || is_made_ || is_at_end()) return fail(ENOTDIR);
    if (!may_be_passed(link, status_)) return fail(EACCES);
    if (++links_ > max_links) return fail(ELOOP);
    char path[PATH_MAX];
    ssize_t const length = readlinkat(here_.get(), name, path, sizeof path);
    if (length < 0) return false;
    std::size_t const end = static_cast<std::size_t>(length), further = std::strlen(rest_ + at_);
    if (end + further >= sizeof path) return fail(ENAMETOOLONG);
    std::memcpy(path + end, rest_ + at_, further + 1);
    std::memcpy(rest_, path, end + further + 1);
    at_ = 0;
    if (*rest_ != '/') return true;
    here_ = at_start_of(rest_);
    return here_ && fstat(here_.get(), &status_) == 0;
  }

  Descriptor here_;
  struct stat status_ {};
  char rest_[PATH_MAX];
  std::size_t at_ = 0;
  bool fits_ = false;
  bool is_made_ = false;  // this component was missing, and so are all below it
  int links_ = 0;
};

// Checks only the owner: no other user can make a directory that this user owns.
Descriptor open_existing(char const* path) {
  Descriptor directory(::open(path, as_directory));
  struct stat status {};
  if (directory && fstat(directory.get(), &status) == 0 && status.st_uid == geteuid()) return directory;
  return {};
}

}  // namespace

Descriptor open_private_directory(char const* path) {
  if (Descriptor directory = open_existing(path)) return directory;
  Walk walk(path);
  return walk.to_end() ? walk.take() : Descriptor();
}

bool make_parents(char const* path, char (&parent)[PATH_MAX], mode_t mode) {
  std::snprintf(parent, sizeof parent, "%s", path);
  for (char* slash = parent + 1; (slash = std::strchr(slash, '/')) != nullptr; ++slash) {
    *slash = '\0';
    if (mkdir(parent, mode) != 0 && errno != EEXIST) {
      // Some systems fail to create an existing directory with another error than EEXIST: only a missing parent is a
      // problem.
      int const error = errno;
      struct stat status {};
      if (stat(parent, &status) != 0) {
        errno = error;
        return false;
      }
    }
    *slash = '/';
  }
  return true;
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
