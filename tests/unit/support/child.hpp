// A test's part that may end the process: run in a child.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

struct ChildEnd {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
};

// Runs body() in a child process; its result is the child's exit code.
template <class Body>
ChildEnd in_child(Body const& body) {
  pid_t const child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) throw std::runtime_error("cannot run a child process");
  if (WIFSIGNALED(status)) return {-1, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}
