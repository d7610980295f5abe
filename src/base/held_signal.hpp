// Holds a signal back that a system call of ours may raise, and takes it away, so that the call fails, as errno says,
// instead of the program. A signal that the program itself had blocked is left alone.
//
// sigprocmask() is of the calling thread on Linux, as pthread_sigmask() is. Before glibc 2.32, that one is in a library
// of its own, which the front would bring into every process.
#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace commprof {

class HeldSignal {
 public:
  explicit HeldSignal(int signal) : signal_(signal) {
    sigemptyset(&set_);
    sigaddset(&set_, signal);
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  HeldSignal(HeldSignal const&) = delete;
  HeldSignal& operator=(HeldSignal const&) = delete;
  ~HeldSignal() {
    int const errno_of_call = errno;
    timespec const at_once{};
    if (sigismember(&before_, signal_) == 0) sigtimedwait(&set_, nullptr, &at_once);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    errno = errno_of_call;
  }

 private:
  int signal_;
  sigset_t set_;
  sigset_t before_;
};

}  // namespace commprof
