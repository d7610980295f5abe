#include "launch/job_line.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace commprof_launcher {

namespace {

constexpr std::string_view separator = ":";

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

// The options of each launcher, by the number of their values. mpirun of Open MPI and PRRTE accepts one dash or two.
constexpr std::string_view open_mpi_without =
    "V allow-run-as-root bind-to-core bind-to-none bind-to-socket bycore bynode byslot continuous d debug "
    "debug-daemons debug-daemons-file debug-devel disable-recovery display-allocation "
    "display-devel-allocation display-devel-map display-diffable-map display-map display-topo do-not-launch "
    "do-not-resolve enable-instant-on-support enable-recovery fwd-mpirun-port get-stack-traces "
    "index-argv-by-rank leave-session-attached merge-stderr-to-stdout nolocal nooversubscribe noprefix novm "
    "output-proctable oversubscribe pernode preload-binary q quiet report-bindings "
    "report-child-jobs-separately report-state-on-timeout s set-cwd-to-session-dir show-progress tag-output "
    "timestamp-output tv use-hwthread-cpus use-regexp v verbose version xml";
constexpr std::string_view open_mpi_with_one =
    "H N add-host add-hostfile am app bind-to c cartofile cf cpu-list cpu-set cpus-per-proc cpus-per-rank "
    "debugger default-hostfile display dvm-uri hnp host hostfile launch-agent machinefile map-by max-restarts "
    "max-vm-size n namespace np npernode npersocket ompi-server output output-filename path personality pid "
    "ppr prefix preload-files rank-by rankfile report-events report-pid report-uri rf runtime-options "
    "slot-list stdin stream-buffering timeout tune wd wdir with-ft x xml-file xterm";
constexpr std::string_view open_mpi_with_two = "gmca gomca gpmixmca gprtemca mca omca pmixmca prtemca";
constexpr std::string_view hydra_without =
    "disable-auto-cleanup disable-hostname-propagation disable-x enable-x envall envnone genvall genvnone "
    "info l order-nodes pmi-port prepend-rank print-all-exitcodes profile skip-launch-node v verbose version";
constexpr std::string_view hydra_with_one =
    "bind-to binding bootstrap bootstrap-exec ckpoint-interval ckpoint-num ckpoint-prefix ckpointlib "
    "configfile demux envlist errfile-pattern f genvlist gpus-per-proc host hosts iface launcher "
    "launcher-exec localhost machinefile map-by membind n nameserver np outfile-pattern perhost ppn "
    "prepend-pattern ranks-per-proc rmk s timeout topolib usize wdir";
constexpr std::string_view flux_with_one =
    "B N S add-file bank begin-time c cores-per-task cwd dependency env env-file env-remove error flags g "
    "gpus-per-node gpus-per-task input job-name n nodes ntasks o output q queue requires rlimit setattr "
    "setopt signal t tasks-per-core tasks-per-node taskmap time-limit urgency";

bool contains(std::string_view names, std::string_view name) {
  std::istringstream words{std::string(names)};
  return std::find(std::istream_iterator<std::string>(words), {}, name) != std::istream_iterator<std::string>();
}

bool has_own_value(std::string_view word) { return word.find('=') != word.npos; }

std::size_t words_of_open_mpi(std::span<std::string const> words) {
  std::string_view const name = option_name(words.front());
  if (has_own_value(words.front()) || contains(open_mpi_without, name)) return 1;
  return contains(open_mpi_with_one, name) ? 2 : contains(open_mpi_with_two, name) ? 3 : 0;
}

// The number of words of -genv NAME VALUE or -genv NAME=VALUE.
std::size_t words_of_hydra(std::span<std::string const> words) {
  std::string_view const name = option_name(words.front());
  if (name == "env" || name == "genv") return words.size() > 1 && has_own_value(words[1]) ? 2 : 3;
  if (has_own_value(words.front()) || contains(hydra_without, name)) return 1;
  return contains(hydra_with_one, name) ? 2 : 0;
}

std::size_t words_of_flux(std::span<std::string const> words) {
  std::string_view const word = words.front();
  bool const is_letter_with_value = !word.starts_with("--") && word.size() > 2;  // as in -n4
  if (has_own_value(word) || is_letter_with_value) return 1;
  return contains(flux_with_one, option_name(word)) ? 2 : 1;
}

}  // namespace

std::string_view option_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word.substr(0, word.find('='));
}

WordsOfOption words_of_option(Launcher kind, std::string_view help_of_srun) {
  switch (kind) {
    case Launcher::open_mpi:
      return words_of_open_mpi;
    case Launcher::hydra:
      return words_of_hydra;
    case Launcher::flux:
      return words_of_flux;
    default:
      return [options = OptionsWithValues(help_of_srun)](std::span<std::string const> words) {
        return options.words_of(words.front());
      };
  }
}

JobLine parse_job_line(Words const& words, FoundLauncher launcher, WordsOfOption const& words_of) {
  JobLine line;
  auto word = words.begin() + static_cast<std::ptrdiff_t>(launcher.at);
  if (word != words.end()) ++word;
  if (launcher.kind == Launcher::flux && word != words.end()) ++word;  // skips run, submit or alloc
  line.launcher.assign(words.begin(), word);
  bool const is_one_program = launcher.kind == Launcher::flux;
  while (true) {
    ProgramLine& program = line.programs.emplace_back();
    auto const end = is_one_program ? words.end() : std::find(word, words.end(), separator);
    while (word != end && is_option(*word)) {
      bool const is_last = *word == "--";
      std::size_t count = is_last ? 1 : words_of({word, end});
      if (count == 0) count = end - word > 1 && !is_option(word[1]) && find_executable(word[1]).empty() ? 2 : 1;
      auto const next = word + std::min(static_cast<std::ptrdiff_t>(count), end - word);
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
    if (&program != programs.data()) all.emplace_back(separator);
    for (Words const& option : program.options) add(option);
    add(program.program);
  }
  return all;
}

// Parses lines such as "  -A, --account=name   charge job" and "      --qos=qos   quality". A value in brackets is
// optional, and then never a word of its own.
OptionsWithValues::OptionsWithValues(std::string_view help) {
  while (!help.empty()) {
    std::string_view line = help.substr(0, help.find('\n'));
    help.remove_prefix(std::min(line.size() + 1, help.size()));
    std::size_t const first = line.find_first_not_of(' ');
    if (first == line.npos || line[first] != '-') continue;
    line.remove_prefix(first);
    std::size_t const name = line.find("--");
    if (name == line.npos || name > std::string_view("-x, ").size()) continue;
    std::size_t const end = line.find_first_of("= [", name);
    if (end == line.npos || line[end] != '=') continue;
    names_.emplace_back(line.substr(name, end - name));
    if (name > 0) letters_ += line[1];
  }
}

std::size_t OptionsWithValues::words_of(std::string_view option) const {
  if (option.starts_with("--")) {
    bool const has_own_value = option.find('=') != option.npos;
    return !has_own_value && std::ranges::find(names_, option) != names_.end() ? 2 : 1;
  }
  // For -x, or -abx: the value of the first letter that takes one is the rest of the word, or the next word.
  for (std::size_t i = 1; i < option.size(); ++i)
    if (letters_.find(option[i]) != letters_.npos) return i + 1 == option.size() ? 2 : 1;
  return 1;
}

}  // namespace commprof_launcher
