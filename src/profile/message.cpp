#include "profile/message.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace commprof {

void say(std::initializer_list<std::string_view> parts) {
  int const errno_of_program = errno;
  char line[4096];
  std::size_t length = 0;
  auto const add = [&](std::string_view text) {
    for (char const c : text)
      if (length < sizeof line - 1) line[length++] = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  };
  add("commprof: ");
  for (std::string_view const part : parts) add(part);
  line[length++] = '\n';
  for (std::size_t written = 0; written < length;) {
    ssize_t const n = write(STDERR_FILENO, line + written, length - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  errno = errno_of_program;
}

}  // namespace commprof
