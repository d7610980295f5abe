// Captures the output to file descriptor 2, up to the capacity of a pipe, 64 KiB.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "base/message.hpp"

class CapturedStderr {
 public:
  CapturedStderr() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end_ = ends[0];
    original_ = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    commprof::own_at_load.look();
  }
  CapturedStderr(CapturedStderr const&) = delete;
  CapturedStderr& operator=(CapturedStderr const&) = delete;
  ~CapturedStderr() {
    restore();
    close(read_end_);
  }

  // Ends the capture and returns it.
  std::string text() {
    restore();
    std::string all;
    char part[4096];
    for (ssize_t n; (n = read(read_end_, part, sizeof part)) > 0;) all.append(part, static_cast<std::size_t>(n));
    return all;
  }

 private:
  void restore() {
    if (original_ < 0) return;
    dup2(original_, STDERR_FILENO);
    close(original_);
    original_ = -1;
    commprof::own_at_load.look();
  }

  int read_end_ = -1;
  int original_ = -1;
};
