#include "base/at_load.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace commprof {

constinit AtLoad own_at_load;

OpenFileIdentity OpenFileIdentity::of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_mode & S_IFMT};
}

void AtLoad::look() {
  int const errno_of_program = errno;
  error_stream = OpenFileIdentity::of(STDERR_FILENO);
  if (getcwd(directory, sizeof directory) == nullptr) directory[0] = '\0';
  errno = errno_of_program;
}

namespace {
[[gnu::constructor]] void look_at_load() { own_at_load.look(); }
}  // namespace

}  // namespace commprof
