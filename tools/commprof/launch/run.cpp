#include "launch/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "files/shell_word.hpp"
#include "launch/injection.hpp"
#include "launch/job.hpp"
#include "launch/launchers.hpp"
#include "launch/options.hpp"
#include "launch/profiles.hpp"
#include "options/options.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

struct RunOptions {
  RunOptions();
  RunOptions(RunOptions const&) = delete;
  RunOptions& operator=(RunOptions const&) = delete;

  CLI::App app;
  Variables variables;
  std::string launcher;  // empty: to be found out
  bool is_quiet = false, wants_report = false, opens_report = false, is_dry = false;
};

fs::path own_directory() { return fs::read_symlink("/proc/self/exe").parent_path(); }

constexpr int exit_not_run = 126, exit_not_found = 127;  // the exit codes of a shell

constexpr char description[] =
    "Runs an MPI job with the profiler in its ranks, and shows the first page of the profile.\n"
    "\n"
    "  commprof mpirun -n 4 ./solver input        Open MPI, MPICH, Intel MPI\n"
    "  commprof --ops='-Test*' srun ./solver      in a job of Slurm\n"
    "  commprof doctor ./solver                   what would be seen, and what not\n";

constexpr char footer[] =
    "\nThe job's output and exit code are its own. The page goes to the terminal, or else to stderr.\n"
    "Variables of the environment that begin with COMMPROF_ hold where no option is given.";

RunOptions::RunOptions() : app(description, "commprof") {
  app.prefix_command();
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", std::string("commprof ") + COMMPROF_VERSION, "Print the version and exit");
  app.formatter(std::make_shared<CommandFormatter>(
      "Usage: commprof [OPTIONS] COMMAND [ARGUMENTS]\n       commprof doctor [LAUNCHER …] PROGRAM [ARGUMENTS]\n"));
  app.footer(footer);
  app.add_flag("-q,--quiet", is_quiet, "Show no page; print nothing but problems");
  app.add_flag("--report", wants_report, "Write the page for the browser, too: DIR.html");
  app.add_flag("--open", opens_report, "Write the page for the browser and open it");
  app.add_option("--launcher", launcher,
                 "What COMMAND is, if it is not recognised: openmpi, hydra,\nsrun, flux, or none, which hands on its "
                 "environment")
      ->type_name("KIND")
      ->check([](std::string const& name) {
        return launcher_named(name) ? std::string()
                                    : fmt::format("must be openmpi, hydra, srun, flux or none, not '{}'", name);
      });
  app.add_flag("--dry-run", is_dry, "Print the command that would be run, and do not run it");
  add_flags(app, variables);
}

// The profiler's variables in the launcher's environment: not every launcher passes them on.
Variables variables_of_environment() {
  Variables variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string_view const text = *variable;
    std::size_t const equals = text.find('=');
    if (text.starts_with(commprof::option_prefix) && equals != text.npos)
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

// Escapes a path for an option with % letters.
std::string escaped(std::string const& path) {
  std::string text;
  for (char const c : path) text.append(c == '%' ? 2 : 1, c);
  return text;
}

std::string preload_value() {
  std::string const library = library_path();
  if (library.find_first_of(": ") != library.npos)
    throw std::runtime_error(
        fmt::format("the dynamic linker preloads nothing from a path with a blank or a colon: {}", library));
  char const* const of_user = std::getenv("LD_PRELOAD");
  return of_user == nullptr || *of_user == '\0' ? library : fmt::format("{}:{}", library, of_user);
}

FoundLauncher launcher_of(RunOptions const& options, std::vector<std::string> const& words) {
  FoundLauncher found = find_launcher(words);
  if (!options.launcher.empty()) found.kind = *launcher_named(options.launcher);
  return found;
}

Command changed_command(RunOptions const& options, std::vector<std::string> const& words, std::string const& index) {
  Injection injection{preload_value(), variables_of_environment()};
  for (auto const& [name, value] : options.variables) injection.variables[name] = value;
  injection.variables["COMMPROF_INDEX"] = escaped(index);
  injection.variables.try_emplace("COMMPROF_VERBOSE", "0");  // the output after the job names the profile
  // The user has asked for a profile, so overrides the system's defaults that would drop it.
  for (auto const& [name, value] :
       Variables{{"COMMPROF_APPS", "*"}, {"COMMPROF_MIN_TIME", "0"}, {"COMMPROF_MIN_MPI", "0"}})
    injection.variables.try_emplace(name, value);
  FoundLauncher const launcher = launcher_of(options, words);
  bool const is_srun = launcher.kind == Launcher::srun;
  std::string const help = is_srun ? output_of({words[launcher.at], "--help"}) : "";
  return inject(words, launcher, injection, help);
}

void print_command(Command const& command) {
  std::string line = command.removed.empty() ? "" : fmt::format("env -u {} ", fmt::join(command.removed, " -u "));
  for (auto const& [name, value] : command.environment)
    line += fmt::format("{}={} ", name, mpisee_through::shell_word(value));
  for (std::string const& word : command.words) line += mpisee_through::shell_word(word) + " ";
  line.pop_back();
  fmt::print("{}\n", line);
}

// Checked before the job, which may take days.
bool lacks_report(RunOptions const& options) {
  if (COMMPROF_HAS_REPORT || !(options.wants_report || options.opens_report)) return false;
  fmt::print(stderr, "commprof: {}: it was built without the page: configure with -DCOMMPROF_REPORT=ON\n",
             options.wants_report ? "--report" : "--open");
  return true;
}

int run_job(RunOptions const& options, std::vector<std::string> const& words) {
  if (options.is_dry) {
    print_command(changed_command(options, words, "off"));
    return EXIT_SUCCESS;
  }
  std::string const reader = reader_path();
  auto const output = options.variables.find("COMMPROF_OUTPUT");
  char const* const of_environment = std::getenv("COMMPROF_OUTPUT");
  ProfileIndex const index(output != options.variables.end() ? output->second
                           : of_environment != nullptr       ? of_environment
                                                             : "");
  Command const command = changed_command(options, words, index.path());
  mpisee_through::CommandEnd end;
  int const exit_code = run_and_wait(command.words, command.environment, command.removed, &end);
  ShownProfiles const shown{reader, options.is_quiet, options.wants_report || options.opens_report,
                            options.opens_report};
  std::vector<std::string> const profiles = index.profiles();
  if (exit_code == exit_not_found || exit_code == exit_not_run) return exit_code;
  FoundLauncher const launcher = launcher_of(options, words);
  if (launcher.kind != Launcher::none) note_end(profiles, end);  // a script goes on after its jobs
  if (launcher.kind != Launcher::none && are_separate_jobs(profiles))
    tell_of_separate_jobs(profiles, words[launcher.at]);
  else shown.show(profiles);
  return exit_code;
}

}  // namespace

std::string library_path() {
  fs::path const own = own_directory();
  for (char const* const directory : {COMMPROF_LIBRARY_FROM_BIN, "../lib"})
    if (fs::path const path = own / directory / "libcommprof.so"; fs::exists(path))
      return path.lexically_normal().string();
  throw std::runtime_error(
      fmt::format("there is no libcommprof.so in {}", (own / COMMPROF_LIBRARY_FROM_BIN).lexically_normal().string()));
}

std::string reader_path() {
  fs::path const path = own_directory() / "mpisee-through";
  if (fs::exists(path)) return path.string();
  throw std::runtime_error(fmt::format("there is no mpisee-through in {}", own_directory().string()));
}

int print_bash_completion() {
  RunOptions const options;
  std::string all, with_word;
  auto const add = [](std::string& list, std::string const& name) {
    list += fmt::format("{}{}", list.empty() ? "" : " ", name);
  };
  for (CLI::Option const* option : options.app.get_options()) {
    auto const names = [&](std::string& list) {
      for (std::string const& name : option->get_snames()) add(list, "-" + name);
      for (std::string const& name : option->get_lnames()) add(list, "--" + name);
    };
    names(all);
    if (option->get_expected_min() > 0) names(with_word);
  }
  fmt::print(R"(# Completion of commprof for bash.
_commprof() {{
  local options="{}" with_word="{}" word=${{COMP_WORDS[COMP_CWORD]}} i=1
  while [[ $i -lt $COMP_CWORD && ${{COMP_WORDS[i]}} == -* ]]; do
    [[ " $with_word " == *" ${{COMP_WORDS[i]}} "* ]] && ((i++))
    ((i++))
  done
  if [[ $i -gt $COMP_CWORD ]]; then
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
  elif [[ $i -eq $COMP_CWORD ]]; then
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
      COMPREPLY=($(compgen -c -- "$word") $(compgen -W doctor -- "$word"))
    fi
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$i"
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -F _commprof commprof
)",
             all, with_word);
  return EXIT_SUCCESS;
}

int run(int argc, char** argv) {
  RunOptions options;
  std::vector<std::string> words;
  if (auto const exit_code = parse_command(options.app, argc, argv, "no command to run", words)) return *exit_code;
  return lacks_report(options) ? exit_usage : run_job(options, words);
}

}  // namespace commprof_launcher
