#include "launch/launchers.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "files/visible_text.hpp"

namespace commprof_launcher {

namespace {

constexpr std::string_view program_separator = ":";

// mpirun of Open MPI and PRRTE accepts one dash or two.
struct Kind {
  Launcher kind;
  std::string_view name;
  // Options with a value in the next word, and with two.
  std::string_view with_one{}, with_two{};
  bool has_letters = false;  // a value may follow a letter in its word, as in -n4; options not listed have none
};
constexpr std::array<Kind, 5> kinds{{
    {Launcher::none, "none"},
    {Launcher::open_mpi, "openmpi",
     "H N add-host add-hostfile am app bind-to c cartofile cf cpu-list cpu-set cpus-per-proc cpus-per-rank "
     "debugger default-hostfile display dvm-uri hnp host hostfile launch-agent machinefile map-by max-restarts "
     "max-vm-size n namespace np npernode npersocket ompi-server output output-filename path personality pid "
     "ppr prefix preload-files rank-by rankfile report-events report-pid report-uri rf runtime-options "
     "slot-list stdin stream-buffering timeout tune wd wdir with-ft x xml-file xterm",
     "gmca gomca gpmixmca gprtemca mca omca pmixmca prtemca"},
    {Launcher::hydra, "hydra",
     "bind-to binding bootstrap bootstrap-exec ckpoint-interval ckpoint-num ckpoint-prefix ckpointlib "
     "configfile demux envlist errfile-pattern f genvlist gpus-per-proc host hosts iface launcher "
     "launcher-exec localhost machinefile map-by membind n nameserver np outfile-pattern perhost ppn "
     "prepend-pattern ranks-per-proc rmk s timeout topolib usize wdir",
     "env genv"},
    {Launcher::srun, "srun",
     "A B C D F G J L M N S T W account acctg-freq bb bbf begin c chdir cluster-constraint clusters comment "
     "constraint container core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu cpus-per-task d deadline "
     "delay-boot dependency distribution e epilog error exclude export extra extra-node-info gid gpu-bind "
     "gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags het-group hint i input job-name "
     "jobid licenses m mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi "
     "msg-timeout n network nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node "
     "ntasks-per-socket o open-mode output p partition power prefer priority profile prolog q qos r relative "
     "reservation signal slurmd-debug sockets-per-node switches t task-epilog task-prolog thread-spec threads "
     "threads-per-core time time-min tmp tres-bind tres-per-task treewidth uid w wait wckey x",
     "", true},
    {Launcher::flux, "flux",
     "B N S add-file bank begin-time c cores-per-task cwd dependency env env-file env-remove error flags g "
     "gpus-per-node gpus-per-task input job-name n nodes ntasks o output q queue requires rlimit setattr "
     "setopt signal t tasks-per-core tasks-per-node taskmap time-limit urgency",
     "", true},
}};

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

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

bool contains(std::string_view names, std::string_view name) {
  std::istringstream words{std::string(names)};
  return std::find(std::istream_iterator<std::string>(words), {}, name) != std::istream_iterator<std::string>();
}

// The number of words that the option takes, including itself; `next` is the word behind it.
std::ptrdiff_t words_of(Kind const& kind, std::string_view option, std::string const& next) {
  auto const is_assignment = [](std::string_view word) { return word.find('=') != word.npos; };
  std::string_view const name = option_name(option);
  if (is_assignment(option)) return 1;
  // Two values, of which Hydra takes NAME=VALUE for one.
  if (contains(kind.with_two, name)) return kind.kind == Launcher::hydra && is_assignment(next) ? 2 : 3;
  bool const has_value_behind_letter = kind.has_letters && !option.starts_with("--") && option.size() > 2;
  if (!has_value_behind_letter && contains(kind.with_one, name)) return 2;
  if (kind.has_letters) return 1;
  return !next.empty() && !is_option(next) && find_executable(next).empty() ? 2 : 1;
}

bool is_file_to_run(std::string const& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<Launcher> launcher_named(std::string_view name) {
  auto const* const found = std::ranges::find(kinds, name, &Kind::name);
  return found == kinds.end() ? std::nullopt : std::optional(found->kind);
}

// A wrapper's word is followed by its options and values and, for env, by variables. The first executable among these
// words is what it runs.
std::size_t place_of_program(Words const& command) {
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

FoundLauncher find_launcher(Words const& command) {
  std::size_t const place = place_of_program(command);
  return {command.empty() ? Launcher::none : launcher_at(command[place]), place};
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

std::string output_of(Words const& command) {
  std::string line;
  for (std::string const& word : command) line += mpisee_through::shell_word(word) + ' ';
  std::FILE* const pipe = popen((line + "</dev/null 2>/dev/null").c_str(), "re");
  std::string output;
  char part[4096];
  for (std::size_t length = 0; pipe != nullptr && (length = fread(part, 1, sizeof part, pipe)) > 0;)
    output.append(part, length);
  if (pipe != nullptr) pclose(pipe);
  return output;
}

std::string_view option_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word.substr(0, word.find('='));
}

JobLine parse_job_line(Words const& words, FoundLauncher launcher) {
  Kind const& kind = *std::ranges::find(kinds, launcher.kind, &Kind::kind);
  JobLine line;
  auto word = words.begin() + static_cast<std::ptrdiff_t>(launcher.at);
  if (word != words.end()) ++word;
  if (launcher.kind == Launcher::flux && word != words.end()) ++word;  // skips run, submit or alloc
  line.launcher.assign(words.begin(), word);
  bool const is_one_program = launcher.kind == Launcher::flux;
  while (true) {
    ProgramLine& program = line.programs.emplace_back();
    auto const end = is_one_program ? words.end() : std::find(word, words.end(), program_separator);
    while (word != end && is_option(*word)) {
      bool const is_last = *word == "--";
      std::ptrdiff_t const count = is_last ? 1 : words_of(kind, *word, end - word > 1 ? word[1] : "");
      auto const next = word + std::min(count, end - word);
      program.options.emplace_back(word, next);
      word = next;
      if (is_last) break;
    }
    program.program.assign(word, end);
    if (end == words.end()) return line;
    word = end + 1;
  }
}

Words JobLine::words() const {
  Words all = launcher;
  auto const add = [&](Words const& some) { all.insert(all.end(), some.begin(), some.end()); };
  for (ProgramLine const& program : programs) {
    if (&program != programs.data()) all.emplace_back(program_separator);
    for (Words const& option : program.options) add(option);
    add(program.program);
  }
  return all;
}

}  // namespace commprof_launcher
