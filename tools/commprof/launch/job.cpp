#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "launch/run.hpp"

namespace commprof_launcher {

namespace {

volatile sig_atomic_t command_pid = 0;
// The latest signal that asked the command to end, and its time.
volatile sig_atomic_t interrupted_by = 0;
timespec interrupted_at{};

timespec time_of_day() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now;
}

// Whether the terminal sent the signal: then the command has got it, too.
bool is_of_terminal(siginfo_t const& info) {
  bool const can_be = info.si_signo == SIGINT || info.si_signo == SIGQUIT || info.si_signo == SIGHUP;
  return can_be && info.si_code == SI_KERNEL;
}

void hand_on(int signal, siginfo_t* info, void*) {
  int const kept = errno;
  if (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM) {
    interrupted_at = time_of_day();
    interrupted_by = signal;
  }
  if (command_pid > 0 && !is_of_terminal(*info)) kill(command_pid, signal);
  errno = kept;
}

// The signals that end a process, except those caused by its own errors.
std::vector<int> signals_that_end() {
  std::vector<int> signals{SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2,   SIGALRM,  SIGTERM,
                           SIGIO,  SIGPWR, SIGXCPU, SIGPROF, SIGVTALRM, SIGSTKFLT};
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) signals.push_back(signal);
  return signals;
}

// While an object exists, signals that would end this process are forwarded to the command, unless they are ignored.
// Exited children are reaped even if the parent process set SIGCHLD to be ignored.
class SignalsForCommand {
 public:
  SignalsForCommand() {
    sigset_t held;
    sigemptyset(&held);
    for (int const signal : signals_that_end()) sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &mask_);
    struct sigaction action {};
    action.sa_sigaction = hand_on;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    for (int const signal : signals_that_end()) change(signal, action, true);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    change(SIGCHLD, standard, false);
  }
  SignalsForCommand(SignalsForCommand const&) = delete;
  SignalsForCommand& operator=(SignalsForCommand const&) = delete;
  ~SignalsForCommand() {
    command_pid = 0;
    restore();
  }

  // Unblocks signals, once the command's pid is known.
  void release() const { sigprocmask(SIG_SETMASK, &mask_, nullptr); }
  // Restores the former actions; also called in the command.
  void restore() const {
    for (auto const& [signal, before] : changed_) sigaction(signal, &before, nullptr);
    release();
  }

 private:
  void change(int signal, struct sigaction const& action, bool unless_ignored) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || (unless_ignored && before.sa_handler == SIG_IGN)) return;
    sigaction(signal, &action, nullptr);
    changed_.emplace_back(signal, before);
  }

  sigset_t mask_;
  std::vector<std::pair<int, struct sigaction>> changed_;
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

// Starts the command. Returns 0 or an errno. posix_spawn() cannot make only the command ignore a signal.
int start(std::vector<std::string> const& words, std::vector<std::string> const& environment,
          SignalsForCommand const& signals) {
  std::vector<char*> const arguments = pointers_to(words), variables = pointers_to(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  pid_t const child = fork();
  int error = child < 0 ? errno : 0;
  if (child == 0) {
    signals.restore();
    execvpe(arguments.front(), arguments.data(), variables.data());
    error = errno;
    _exit(write(ends[1], &error, sizeof error) == sizeof error ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  if (child > 0) command_pid = child;
  signals.release();
  close(ends[1]);
  while (child > 0 && read(ends[0], &error, sizeof error) < 0 && errno == EINTR) continue;
  close(ends[0]);
  if (error != 0 && child > 0) waitpid(child, nullptr, 0);
  return error;
}

}  // namespace

int run_and_wait(std::vector<std::string> const& words, Variables const& environment,
                 std::vector<std::string> const& removed, mpisee_through::CommandEnd* end) {
  std::vector<std::string> const all = environment_with(environment, removed);
  SignalsForCommand const theirs;
  int const error = start(words, all, theirs);
  if (error != 0) {
    fmt::print(stderr, "commprof: {}: {}\n", words.front(), std::strerror(error));
    return error == ENOENT ? 127 : 126;
  }
  int status = 0;
  pid_t const command = command_pid;
  while (waitpid(command, &status, 0) < 0 && errno == EINTR) continue;
  int const exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (end != nullptr)
    *end = {mpisee_through::seconds_of(interrupted_by != 0 ? interrupted_at : time_of_day()), interrupted_by,
            exit_code};
  return exit_code;
}

}  // namespace commprof_launcher
