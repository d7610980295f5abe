#include "finalize/profile_index.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/held_signals.hpp"
#include "base/message.hpp"
#include "base/regular_file.hpp"
#include "counters/counters.hpp"
#include "profile/profile.hpp"

namespace commprof {

namespace {

// Tries without O_CREAT first: in a shared (sticky) directory, Linux refuses O_CREAT for other users' files, even if
// they are writable by all (fs.protected_regular).
int open_to_append(char const* file) {
  int const existing = open_regular(file, O_WRONLY | O_APPEND);
  if (existing >= 0 || errno != ENOENT) return existing;
  int const made = open_regular(file, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0666);
  // EEXIST: another job has created the file meanwhile.
  return made < 0 && errno == EEXIST ? open_regular(file, O_WRONLY | O_APPEND) : made;
}

// Writes the line at once, because processes of several jobs may share the file.
bool append_line(char const* file, char const* text) {
  int const descriptor = open_to_append(file);
  if (descriptor < 0) return false;
  char line[PATH_MAX + 1];
  int const length = std::snprintf(line, sizeof line, "%s\n", text);
  HeldSignals const held;
  ssize_t const written = write(descriptor, line, static_cast<std::size_t>(length));
  int const error = written < 0 ? errno : EIO;
  close(descriptor);
  errno = error;
  return written == length;
}

// Used if the file belongs to another user, or if there is a link or a FIFO in its place: appends to a file of this
// user beside it.
bool append_beside(char (&file)[PATH_MAX], char const* text, RunFacts const& facts) {
  static char user[PATH_MAX];
  int const error = errno;
  bool const is_of_others = error == EACCES || error == EPERM || error == ELOOP || error == ENXIO;
  bool const done =
      is_of_others && expand_path("/-%u", facts, user) && append_to_path(file, user + 1) && append_line(file, text);
  errno = error;
  return done;
}

}  // namespace

void add_to_index(char const* profile, RunFacts const& facts) {
  static char last[PATH_MAX] = "", file[PATH_MAX] = "";
  char const* const pattern = state.options.index;
  if (pattern == nullptr || std::strcmp(last, profile) == 0) return;
  std::snprintf(last, sizeof last, "%s", profile);
  errno = ENAMETOOLONG;
  if (expand_path(pattern, facts, file) && (append_line(file, profile) || append_beside(file, profile, facts))) return;
  say({"COMMPROF_INDEX: cannot write to ", pattern, ": ", std::strerror(errno)});
}

}  // namespace commprof
