#include "base/command_line.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace commprof {

CommandLine::CommandLine() {
  int const file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    while (length_ < sizeof text_ - 1) {
      ssize_t const n = read(file, text_ + length_, sizeof text_ - 1 - length_);
      if (n <= 0) break;
      length_ += static_cast<std::size_t>(n);
    }
    close(file);
  }
  text_[length_] = '\0';
}

std::string_view CommandLine::program_name() { return program_invocation_short_name; }

}  // namespace commprof
