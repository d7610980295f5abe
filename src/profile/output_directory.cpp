#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "profile/output.hpp"
#include "spool/directories.hpp"

namespace commprof {

namespace {

constexpr char token_file[] = "token";

}  // namespace

bool make_parents(char const* path, char (&parent)[PATH_MAX]) {
  std::snprintf(parent, sizeof parent, "%s", path);
  for (char* slash = parent + 1; (slash = std::strchr(slash, '/')) != nullptr; ++slash) {
    *slash = '\0';
    if (mkdir(parent, 0777) != 0 && errno != EEXIST) {
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

bool claim_directory(char const* wanted, char (&path)[PATH_MAX]) {
  std::size_t length = std::strlen(wanted);
  while (length > 1 && wanted[length - 1] == '/') --length;
  char stripped[PATH_MAX];
  std::snprintf(stripped, sizeof stripped, "%.*s", static_cast<int>(length), wanted);
  if (!make_parents(stripped, path)) return false;
  for (int number = 1; number < 100'000; ++number) {
    char const* const format = number == 1 ? "%s" : "%s-%d";
    if (std::snprintf(path, sizeof path, format, stripped, number) >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return false;
    }
    // mkdir() claims the name atomically on every file system.
    if (mkdir(path, 0777) == 0) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

bool OutputDirectory::fail(char const* path, int error) {
  if (!failed_) std::snprintf(problem_, sizeof problem_, "%s: %s", path, std::strerror(error));
  failed_ = true;
  return false;
}

// Names the file by the path that the user asked for, not by the temporary one.
void OutputDirectory::fail_file(std::size_t file, int error) {
  char path[PATH_MAX + 40];
  std::snprintf(path, sizeof path, "%s/%s", wanted_, files_[file].name);
  fail(path, error);
}

void OutputDirectory::path_of(std::size_t file, char (&path)[PATH_MAX + 40]) const {
  std::snprintf(path, sizeof path, "%s/%s", aside_, files_[file].name);
}

bool OutputDirectory::open(char const* path, bool is_claimed) {
  failed_ = is_joined_ = is_marked_ = false;
  is_claimed_ = is_claimed;
  file_count_ = 0;
  std::size_t length = std::strlen(path);
  while (length > 1 && path[length - 1] == '/') --length;
  std::snprintf(wanted_, sizeof wanted_, "%.*s", static_cast<int>(length), path);
  char parent[PATH_MAX];
  if (!make_parents(wanted_, parent)) return fail(parent, errno);
  // Prefers the directory itself, if it exists: files that a killed job leaves are then in one place.
  return make_aside(is_claimed ? "%s/%s%d-%d" : "%s%s%d-%d") || (is_claimed && make_aside("%s%s%d-%d")) ||
         fail(wanted_, errno);
}

bool OutputDirectory::make_aside(char const* format) {
  char path[PATH_MAX + 32];
  for (int attempt = 0; attempt < 100; ++attempt) {
    int const n =
        std::snprintf(path, sizeof path, format, wanted_, OutputDirectory::aside, static_cast<int>(getpid()), attempt);
    if (n >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return false;
    }
    if (mkdir(path, 0777) == 0) {
      std::memcpy(aside_, path, static_cast<std::size_t>(n) + 1);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

std::size_t OutputDirectory::add_file(std::string_view name) {
  std::size_t const index = file_count_++;
  OpenFile& file = files_[index];
  file = {};
  std::snprintf(file.name, sizeof file.name, "%.*s", static_cast<int>(name.size()), name.data());
  file.descriptor = -1;
  if (is_joined_) return index;  // opened at the first write
  char path[PATH_MAX + 40];
  path_of(index, path);
  file.descriptor = open_regular(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (file.descriptor < 0) fail_file(index, errno);
  return index;
}

void OutputDirectory::continue_at(std::size_t file, std::uint64_t offset) {
  write_buffer(files_[file]);
  files_[file].offset = offset;
}

void OutputDirectory::append(std::size_t index, char const* text, std::size_t length) {
  OpenFile& file = files_[index];
  if (file.buffer == nullptr) file.buffer = static_cast<char*>(map_pages(buffer_bytes));
  if (file.buffer == nullptr) return write_at_once(file, text, length);
  while (length > 0) {
    if (file.in_buffer == buffer_bytes) write_buffer(file);
    std::size_t const part = std::min(length, buffer_bytes - file.in_buffer);
    std::memcpy(file.buffer + file.in_buffer, text, part);
    file.in_buffer += part;
    text += part;
    length -= part;
  }
}

void OutputDirectory::write_buffer(OpenFile& file) {
  std::size_t const length = std::exchange(file.in_buffer, 0);
  if (length > 0) write_at_once(file, file.buffer, length);
}

void OutputDirectory::write_at_once(OpenFile& file, char const* text, std::size_t length) {
  auto const index = static_cast<std::size_t>(&file - files_);
  if (file.descriptor < 0 && !failed_) {
    char path[PATH_MAX + 40];
    path_of(index, path);
    file.descriptor = open_regular(path, O_WRONLY);
    if (file.descriptor < 0) fail_file(index, errno);
  }
  HeldSignals const held;
  while (length > 0 && !failed_) {
    ssize_t const n = pwrite(file.descriptor, text, length, static_cast<off_t>(file.offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail_file(index, n == 0 ? EIO : errno);
    text += n;
    length -= static_cast<std::size_t>(n);
    file.offset += static_cast<std::uint64_t>(n);
  }
}

bool OutputDirectory::close_files() {
  for (std::size_t i = 0; i < file_count_; ++i) {
    OpenFile& file = files_[i];
    write_buffer(file);
    if (file.descriptor >= 0 && close(file.descriptor) != 0) fail_file(i, errno);
    file.descriptor = -1;
    unmap_pages(std::exchange(file.buffer, nullptr), buffer_bytes);
  }
  return !failed_;
}

void OutputDirectory::mark(std::uint64_t token) {
  std::size_t const file = add_file(token_file);
  append(file, reinterpret_cast<char const*>(&token), sizeof token);
  write_buffer(files_[file]);
  close(files_[file].descriptor);
  --file_count_;
  unmap_pages(std::exchange(files_[file].buffer, nullptr), buffer_bytes);
  is_marked_ = true;
}

bool OutputDirectory::may_be_shared() const {
  struct statfs status {};
  return statfs(aside_, &status) == 0 && spool::keeps_parts(static_cast<std::uint32_t>(status.f_type));
}

bool OutputDirectory::join(char const* path_aside, char const* wanted, std::uint64_t token) {
  failed_ = false;
  is_joined_ = true;
  file_count_ = 0;
  std::snprintf(wanted_, sizeof wanted_, "%s", wanted);
  std::snprintf(aside_, sizeof aside_, "%s", path_aside);
  char path[PATH_MAX + 40];
  std::snprintf(path, sizeof path, "%s/%s", aside_, token_file);
  int const file = open_regular(path, O_RDONLY);
  if (file < 0) return false;
  std::uint64_t found = 0;
  bool const is_same = read(file, &found, sizeof found) == sizeof found && found == token;
  close(file);
  return is_same;
}

bool OutputDirectory::publish() {
  if (!close_files()) return false;
  unmark();
  return (is_claimed_ && publish_in_claimed()) || (!failed_ && publish_as_new());
}

bool OutputDirectory::publish_as_new() {
  if (!claim_directory(wanted_, path_)) return fail(path_, errno);
  if (rename(aside_, path_) != 0) {  // replaces the empty directory atomically
    int const error = errno;
    rmdir(path_);
    return fail(path_, error);
  }
  aside_[0] = '\0';
  return true;
}

// Renames file by file. run.json comes last: once it exists, the profile is complete.
bool OutputDirectory::publish_in_claimed() {
  char from[PATH_MAX + 40], to[PATH_MAX + 40];
  auto const name = [&](std::size_t file) {
    std::snprintf(from, sizeof from, "%s/%s", aside_, files_[file].name);
    std::snprintf(to, sizeof to, "%s/%s", wanted_, files_[file].name);
  };
  for (std::size_t i = 0; i < file_count_; ++i) {
    name(i);
    if (rename(from, to) == 0) continue;
    if (i == 0 && errno == ENOENT) return false;  // the directory was removed meanwhile
    fail(to, errno);
    for (std::size_t moved = 0; moved < i; ++moved) {
      name(moved);
      unlink(to);
    }
    return false;
  }
  std::snprintf(path_, sizeof path_, "%s", wanted_);
  rmdir(aside_);
  aside_[0] = '\0';
  return true;
}

void OutputDirectory::unmark() {
  if (!std::exchange(is_marked_, false)) return;
  char path[PATH_MAX + 40];
  std::snprintf(path, sizeof path, "%s/%s", aside_, token_file);
  unlink(path);
}

void OutputDirectory::discard() {
  if (aside_[0] == '\0') return;
  for (OpenFile& file : files_) file.in_buffer = 0;
  close_files();
  if (!is_joined_) {
    unmark();
    char path[PATH_MAX + 40];
    for (std::size_t i = 0; i < file_count_; ++i) {
      path_of(i, path);
      unlink(path);
    }
    rmdir(aside_);
  }
  aside_[0] = '\0';
  file_count_ = 0;
}

}  // namespace commprof
