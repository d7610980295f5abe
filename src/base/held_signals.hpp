// Holds back the signals that a write may raise, so that the write fails, as errno says, instead of the program:
//
//   SIGPIPE   nobody reads the pipe any more
//   SIGXFSZ   the file would exceed the limit of its size
//   SIGTTOU   a job in the background writes to a terminal with TOSTOP; the terminal takes what a thread that blocks the
//             signal writes
//
// A signal that the program itself has blocked is left alone.
//
// sigprocmask() is of the calling thread on Linux, as pthread_sigmask() is. Before glibc 2.32, that one is in a library
// of its own, which the front would bring into every process.
#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace commprof {

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
