#include "base/message.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/held_signal.hpp"
#include "base/utf8.hpp"

namespace commprof {

namespace {

void write_out(char const* text, std::size_t length) {
  HeldSignal const held(SIGPIPE);  // nobody may read any more
  for (std::size_t written = 0; written < length;) {
    ssize_t const n = write(STDERR_FILENO, text + written, length - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
}

}  // namespace

void say(std::initializer_list<std::string_view> parts) {
  int const errno_of_program = errno;
  char line[4096];
  std::size_t length = 0;
  auto const add = [&](std::string_view text) {
    while (!text.empty()) {
      std::size_t const valid = utf8_length(text);
      std::string_view sequence = text.substr(0, valid == 0 ? 1 : valid);
      text.remove_prefix(sequence.size());
      if (valid == 0 || is_control(sequence)) sequence = "?";
      if (length + sequence.size() >= sizeof line) return;
      sequence.copy(line + length, sequence.size());
      length += sequence.size();
    }
  };
  add("commprof: ");
  for (std::string_view const part : parts) add(part);
  line[length++] = '\n';
  write_out(line, length);
  errno = errno_of_program;
}

}  // namespace commprof
