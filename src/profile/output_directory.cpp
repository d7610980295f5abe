#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "profile/output.hpp"
#include "spool/directories.hpp"

namespace commprof {

namespace {

constexpr char token_file[] = "token";

}  // namespace

bool claim_directory(char const* wanted, char (&path)[PATH_MAX]) {
  std::size_t length = std::strlen(wanted);
  while (length > 1 && wanted[length - 1] == '/') --length;
  char stripped[PATH_MAX];
  std::snprintf(stripped, sizeof stripped, "%.*s", static_cast<int>(length), wanted);
  if (!make_parents(stripped, path, 0777)) return false;
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

// Names the file by its path in the end, not by the temporary one.
void OutputDirectory::fail_file(std::size_t file, int error) {
  char path[PATH_MAX + 40];
  path_of(path_, file, path);
  fail(path, error);
}

void OutputDirectory::path_of(char const* directory, std::size_t file, char (&path)[PATH_MAX + 40]) const {
  std::string_view const name = file == run_file ? schema::run_file : schema::tables[file].name;
  std::snprintf(path, sizeof path, "%s/%.*s", directory, static_cast<int>(name.size()), name.data());
}

void OutputDirectory::forget_files() {
  for (OpenFile& file : files_) file = {};
}

bool OutputDirectory::open(char const* path, bool is_claimed) {
  failed_ = is_joined_ = is_marked_ = false;
  forget_files();
  std::snprintf(path_, sizeof path_, "%s", path);
  bool const is_there = is_claimed && (access(path, F_OK) == 0 || errno != ENOENT);
  if (!is_there && !claim_directory(path, path_)) return fail(path_, errno);
  int const length =
      std::snprintf(aside_, sizeof aside_, "%s/%s%d", path_, OutputDirectory::aside, static_cast<int>(getpid()));
  bool const fits = length < PATH_MAX;
  if (fits && mkdir(aside_, 0777) == 0) return true;
  aside_[0] = '\0';
  if (!fits) errno = ENAMETOOLONG;
  fail(path_, errno);
  rmdir(path_);  // only an empty one
  return false;
}

void OutputDirectory::add_file(std::size_t file) {
  files_[file] = {.is_added = true};
  if (is_joined_) return;  // opened at the first write
  char path[PATH_MAX + 40];
  path_of(aside_, file, path);
  files_[file].descriptor = open_regular(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (files_[file].descriptor < 0) fail_file(file, errno);
}

void OutputDirectory::add(FileSet files) {
  for (std::size_t i = 0; i < schema::tables.size(); ++i) {
    if (!files.has(static_cast<File>(i)) || files_[i].is_added) continue;
    add_file(i);
    if (is_joined_) continue;
    append(i, schema::tables[i].header);
    append(i, "\n");
  }
}

void OutputDirectory::continue_at(File file, std::uint64_t offset) {
  auto const i = static_cast<std::size_t>(file);
  write_buffer(files_[i]);
  files_[i].offset = schema::tables[i].header.size() + 1 + offset;
}

void OutputDirectory::append(std::size_t index, std::string_view text) {
  OpenFile& file = files_[index];
  if (file.buffer == nullptr) file.buffer = static_cast<char*>(map_pages(buffer_bytes));
  if (file.buffer == nullptr) return write_at_once(file, text.data(), text.size());
  while (!text.empty()) {
    if (file.in_buffer == buffer_bytes) write_buffer(file);
    std::size_t const part = text.copy(file.buffer + file.in_buffer, buffer_bytes - file.in_buffer);
    file.in_buffer += part;
    text.remove_prefix(part);
  }
}

void OutputDirectory::write_buffer(OpenFile& file) {
  std::size_t const length = std::exchange(file.in_buffer, 0);
  if (length > 0) write_at_once(file, file.buffer, length);
}

namespace {

// However little one call writes. False, with errno, if one fails.
bool write_all(int file, char const* text, std::size_t length, std::uint64_t offset) {
  while (length > 0) {
    ssize_t const n = pwrite(file, text, length, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    text += n;
    length -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

}  // namespace

void OutputDirectory::write_at_once(OpenFile& file, char const* text, std::size_t length) {
  auto const index = static_cast<std::size_t>(&file - files_);
  if (file.descriptor < 0 && !failed_) {
    char path[PATH_MAX + 40];
    path_of(aside_, index, path);
    file.descriptor = open_regular(path, O_WRONLY);
    if (file.descriptor < 0) fail_file(index, errno);
  }
  if (failed_) return;
  HeldSignals const held;
  if (!write_all(file.descriptor, text, length, file.offset)) return fail_file(index, errno);
  file.offset += length;
}

bool OutputDirectory::close_files() {
  for (std::size_t i = 0; i <= run_file; ++i) {
    OpenFile& file = files_[i];
    write_buffer(file);
    if (file.descriptor >= 0 && close(file.descriptor) != 0) fail_file(i, errno);
    file.descriptor = -1;
    unmap_pages(std::exchange(file.buffer, nullptr), buffer_bytes);
  }
  return !failed_;
}

void OutputDirectory::mark(std::uint64_t token) {
  char path[PATH_MAX + 40];
  std::snprintf(path, sizeof path, "%s/%s", aside_, token_file);
  Descriptor const file(open_regular(path, O_WRONLY | O_CREAT | O_EXCL, 0666));
  HeldSignals const held;
  if (!file || !write_all(file.get(), reinterpret_cast<char const*>(&token), sizeof token, 0)) fail(path, errno);
  is_marked_ = true;
}

bool OutputDirectory::may_be_shared() const {
  struct statfs status {};
  return statfs(aside_, &status) == 0 && spool::keeps_parts(static_cast<std::uint32_t>(status.f_type));
}

bool OutputDirectory::join(char const* path_aside, std::uint64_t token) {
  failed_ = false;
  is_joined_ = true;
  forget_files();
  std::snprintf(aside_, sizeof aside_, "%s", path_aside);
  std::snprintf(path_, sizeof path_, "%.*s", static_cast<int>(std::string_view(aside_).rfind('/')), aside_);
  char path[PATH_MAX + 40];
  std::snprintf(path, sizeof path, "%s/%s", aside_, token_file);
  Descriptor const file(open_regular(path, O_RDONLY));
  std::uint64_t found = 0;
  return file && read(file.get(), &found, sizeof found) == sizeof found && found == token;
}

// Renames file by file. run.json comes last: once it exists, the profile is complete.
bool OutputDirectory::publish() {
  if (!close_files()) return false;
  unmark();
  char from[PATH_MAX + 40], to[PATH_MAX + 40];
  auto const name = [&](std::size_t file) {
    path_of(aside_, file, from);
    path_of(path_, file, to);
  };
  for (std::size_t i = 0; i <= run_file; ++i) {
    if (!files_[i].is_added) continue;
    name(i);
    if (rename(from, to) == 0) continue;
    fail(to, errno);
    while (i-- > 0) {
      name(i);
      if (files_[i].is_added) unlink(to);
    }
    return false;
  }
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
    for (std::size_t i = 0; i <= run_file; ++i) {
      path_of(aside_, i, path);
      if (files_[i].is_added) unlink(path);
    }
    rmdir(aside_);
    rmdir(path_);  // only an empty one
  }
  aside_[0] = '\0';
}

}  // namespace commprof
