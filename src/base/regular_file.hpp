// Opens the file that an option names, if it is a regular file. A FIFO would block, a terminal would become the
// controlling one, and a link in a directory that others may write to could lead to any file.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace commprof {

// The descriptor, or -1 with errno set: ELOOP for a link; EPERM for a file that is not regular or has several names
// (hard links).
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
