#include "base/message.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "base/file.hpp"
#include "base/text.hpp"

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

// Whether stderr accepts a line at once. A pipe that nobody reads, or a stopped terminal, would block the program.
// Waits for that at most once, for a second.
bool takes_a_line() {
  constexpr int slices = 10, slice_ms = 100;
  static std::atomic<bool> was_full{false};
  pollfd stream{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  for (int slice = was_full.load(std::memory_order_relaxed) ? slices : 0; slice < slices; ++slice)
    if (poll(&stream, 1, slice_ms) > 0) return true;
  was_full.store(true, std::memory_order_relaxed);
  return poll(&stream, 1, 0) > 0;
}

void write_out(char const* text, std::size_t length) {
  HeldSignals const held;
  // A file that the program has opened in place of its error stream holds the program's data: nothing may be written to
  // it.
  if (!at_load->error_stream.is_open() || OpenFileIdentity::of(STDERR_FILENO) != at_load->error_stream) return;
  if (!takes_a_line()) return;
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
