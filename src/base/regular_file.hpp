// Opens what an option names, if that is a regular file. A FIFO would wait for its other end, a terminal would become
// the controlling one, and a link in a directory that others write to leads into a file of somebody else's choice.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace commprof {

// The descriptor; -1 on failure, and errno says why: ELOOP for a link, EPERM for what is not a regular file or has
// further names (hard links).
inline int open_regular(char const* path, int flags, mode_t mode = 0) {
  int const file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
  if (file < 0) return file;
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1) return file;
  close(file);
  errno = EPERM;
  return -1;
}

}  // namespace commprof
