#include "launch/job.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace commprof_launcher {

namespace {

// The terminal sends these two to the command as well.
constexpr int of_terminal[] = {SIGINT, SIGQUIT};
constexpr int handed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile sig_atomic_t command_pid = 0;

void hand_on(int signal) {
  int const kept = errno;
  if (command_pid > 0) kill(command_pid, signal);
  errno = kept;
}

// While it lives, signals are the command's.
class SignalsForCommand {
 public:
  SignalsForCommand() {
    for (int const signal : of_terminal) set(signal, SIG_IGN);
    for (int const signal : handed_on) set(signal, hand_on);
  }
  SignalsForCommand(SignalsForCommand const&) = delete;
  SignalsForCommand& operator=(SignalsForCommand const&) = delete;
  ~SignalsForCommand() {
    for (int const signal : of_terminal) set(signal, SIG_DFL);
    for (int const signal : handed_on) set(signal, SIG_DFL);
    command_pid = 0;
  }

 private:
  static void set(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
};

std::vector<std::string> environment_with(Variables const& added, std::vector<std::string> const& removed) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string const text = *variable;
    std::string const name = text.substr(0, text.find('='));
    if (!added.contains(name) && std::ranges::find(removed, name) == removed.end()) result.push_back(text);
  }
  for (auto const& [name, value] : added) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string> const& texts) {
  std::vector<char*> pointers;
  for (std::string const& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int start(std::vector<std::string> const& words, std::vector<std::string> const& environment, sigset_t const& mask) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int const signal : of_terminal) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  int const error = posix_spawnp(&child, words.front().c_str(), nullptr, &attributes, pointers_to(words).data(),
                                 pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error == 0) command_pid = child;
  return error;
}

}  // namespace

int run_and_wait(std::vector<std::string> const& words, Variables const& environment,
                 std::vector<std::string> const& removed) {
  std::vector<std::string> const all = environment_with(environment, removed);
  SignalsForCommand const theirs;
  // A signal that comes before the command's number is known waits until it is.
  sigset_t held, before;
  sigemptyset(&held);
  for (int const signal : handed_on) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &before);
  int const error = start(words, all, before);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    fmt::print(stderr, "commprof: {}: {}\n", words.front(), std::strerror(error));
    return error == ENOENT ? 127 : 126;
  }
  int status = 0;
  while (waitpid(command_pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace commprof_launcher
