#include "finalize/profile_index.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/message.hpp"
#include "counters/counters.hpp"
#include "profile/profile.hpp"

namespace commprof {

namespace {

// In one write: processes of several jobs may share the file.
bool append_line(char const* file, char const* text) {
  int const descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  char line[PATH_MAX + 1];
  int const length = std::snprintf(line, sizeof line, "%s\n", text);
  ssize_t const written = write(descriptor, line, static_cast<std::size_t>(length));
  int const error = written < 0 ? errno : EIO;
  close(descriptor);
  errno = error;
  return written == length;
}

}  // namespace

void add_to_index(char const* profile, RunFacts const& facts) {
  static char last[PATH_MAX] = "", file[PATH_MAX] = "";
  if (state.options.index == nullptr || std::strcmp(last, profile) == 0) return;
  std::snprintf(last, sizeof last, "%s", profile);
  errno = ENAMETOOLONG;
  if (expand_path(state.options.index, facts, file) && append_line(file, profile)) return;
  say({"COMMPROF_INDEX: cannot write to ", state.options.index, ": ", std::strerror(errno)});
}

}  // namespace commprof
