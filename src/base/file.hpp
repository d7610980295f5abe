// Files of the profiler in a process of somebody else: opened without surprises, written without signals.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace commprof {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Opens the file that an option names, if it is a regular file. A FIFO would block, a terminal would become the
// controlling one, and a link in a directory that others may write to could lead to any file.
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

// The begin of a file of the system, with a 0 behind it; empty if it cannot be read.
template <std::size_t room>
std::string_view read_small_file(char const* path, char (&text)[room]) {
  Descriptor const file(open(path, O_RDONLY | O_CLOEXEC));
  auto const length = file ? read(file.get(), text, room - 1) : 0;
  text[std::max<ssize_t>(length, 0)] = '\0';
  return {text, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

// Blocks the signals that a write may raise, so that the write fails with an errno and the program is not ended:
//
//   SIGPIPE   nobody reads the pipe any more
//   SIGXFSZ   the file would exceed the limit of its size
//   SIGTTOU   a background job writes to a terminal with TOSTOP; the terminal accepts writes of a thread that blocks it
//
// A signal that the program has blocked itself stays blocked.
//
// sigprocmask() affects only the calling thread on Linux, like pthread_sigmask(). Before glibc 2.32, the latter is in
// libpthread, which the front would load into every process.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (int const signal : {SIGPIPE, SIGXFSZ, SIGTTOU}) sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  HeldSignals(HeldSignals const&) = delete;
  HeldSignals& operator=(HeldSignals const&) = delete;
  ~HeldSignals() {
    int const errno_of_call = errno;
    for (int const signal : {SIGPIPE, SIGXFSZ})
      if (sigismember(&before_, signal) == 0) take_away(signal);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    errno = errno_of_call;
  }

 private:
  static void take_away(int signal) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    timespec const at_once{};
    sigtimedwait(&one, nullptr, &at_once);
  }

  sigset_t before_;
};

}  // namespace commprof
