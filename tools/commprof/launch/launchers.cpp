#include "launch/launchers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace commprof_launcher {

namespace {

constexpr std::array<std::pair<std::string_view, Launcher>, 5> names{{{"none", Launcher::none},
                                                                      {"openmpi", Launcher::open_mpi},
                                                                      {"hydra", Launcher::hydra},
                                                                      {"srun", Launcher::srun},
                                                                      {"flux", Launcher::flux}}};

// Programs that run another program, given after their own words.
constexpr std::string_view wrappers[] = {"chrt",    "env",    "ionice", "nice",    "nohup", "numactl",
                                         "setarch", "setsid", "stdbuf", "taskset", "time",  "timeout"};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether the name is mpirun or mpiexec, perhaps with a suffix: mpirun.openmpi, mpiexec.hydra.
bool is_mpirun(std::string_view name) {
  std::string_view const stem = name.substr(0, name.find('.'));
  constexpr std::string_view stems[] = {"mpirun", "mpiexec", "orterun", "prun", "prterun"};
  return std::ranges::find(stems, stem) != std::end(stems);
}

Launcher launcher_at(std::string const& word) {
  std::string_view const name = file_name(word);
  if (name == "srun") return Launcher::srun;
  if (name == "flux") return Launcher::flux;
  return is_mpirun(name) ? launcher_of_version(output_of({word, "--version"})) : Launcher::none;
}

bool is_launcher_name(std::string_view word) {
  std::string_view const name = file_name(word);
  return name == "srun" || name == "flux" || is_mpirun(name);
}

bool is_file_to_run(std::string const& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<Launcher> launcher_named(std::string_view name) {
  auto const found = std::ranges::find(names, name, [](auto const& each) { return each.first; });
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::string_view name_of(Launcher launcher) {
  return std::ranges::find(names, launcher, [](auto const& each) { return each.second; })->first;
}

// A wrapper's word is followed by its options and values and, for env, by variables. The first executable among these
// words is what it runs.
std::size_t place_of_program(std::vector<std::string> const& command) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    std::string const& word = command[i];
    bool const is_command =
        i == 0 || (!word.starts_with('-') && word.find('=') == word.npos && !find_executable(word).empty());
    if (!is_command) continue;
    place = i;
    if (std::ranges::find(wrappers, file_name(word)) == std::end(wrappers)) break;
  }
  return place;
}

FoundLauncher find_launcher(std::vector<std::string> const& command) {
  std::size_t const place = place_of_program(command);
  if (command.empty() || !is_launcher_name(command[place])) return {};
  return {launcher_at(command[place]), place};
}

Launcher launcher_of_version(std::string_view answer) {
  auto const has = [&](std::string_view text) { return answer.find(text) != answer.npos; };
  if (has("HYDRA") || has("Intel(R) MPI")) return Launcher::hydra;
  if (has("Open MPI") || has("OpenRTE") || has("PRRTE") || has("prte")) return Launcher::open_mpi;
  return Launcher::none;
}

std::string find_executable(std::string const& name) {
  if (name.find('/') != name.npos) return is_file_to_run(name) ? name : "";
  char const* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (bool is_last = false; !is_last;) {
    std::size_t const colon = rest.find(':');
    std::string const directory(rest.substr(0, colon));
    std::string const candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (is_file_to_run(candidate)) return candidate;
    is_last = colon == rest.npos;
    if (!is_last) rest.remove_prefix(colon + 1);
  }
  return {};
}

std::string output_of(std::vector<std::string> const& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (std::string const& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  int const error = posix_spawnp(&child, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char part[4096];
  ssize_t length = 0;
  while (error == 0 && (length = read(ends[0], part, sizeof part)) > 0)
    output.append(part, static_cast<std::size_t>(length));
  close(ends[0]);
  if (error == 0) waitpid(child, nullptr, 0);
  return output;
}

}  // namespace commprof_launcher
