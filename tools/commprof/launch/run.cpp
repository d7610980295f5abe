#include "launch/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files/visible_text.hpp"
#include "launch/launchers.hpp"
#include "launch/options.hpp"
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
  bool is_quiet = false, wants_report = false, is_dry = false;
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
  return inject(words, launcher, injection);
}

void print_command(Command const& command) {
  std::string line = command.removed.empty() ? "" : fmt::format("env -u {} ", fmt::join(command.removed, " -u "));
  for (auto const& [name, value] : command.environment)
    line += fmt::format("{}={} ", name, mpisee_through::shell_word(value));
  for (std::string const& word : command.words) line += mpisee_through::shell_word(word) + " ";
  line.pop_back();
  fmt::print("{}\n", line);
}

// The directory that certainly contains the path: the part before the last component, and before the first component
// with a % in it.
std::string known_parent(std::string const& output) {
  std::string const known = output.substr(0, output.find('%'));
  std::size_t const slash = known.rfind('/');
  return slash == known.npos ? "." : slash == 0 ? "/" : known.substr(0, slash);
}

// The file to which rank 0 of each run of a job appends the path of its profile: COMMPROF_INDEX.
class ProfileIndex {
 public:
  // Creates an empty file where the job's ranks probably see it: in the directory of the profiles if it is known, else
  // in the working directory, else in the directory for temporary files. output: COMMPROF_OUTPUT; may be empty.
  explicit ProfileIndex(std::string const& output) {
    std::error_code error;
    for (fs::path const& directory : {fs::path(known_parent(output)), fs::path("."), fs::temp_directory_path(error),
                                      fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm")}) {
      std::string name = (fs::absolute(directory, error) / ".commprof-index-XXXXXX").lexically_normal().string();
      int const file = mkstemp(name.data());
      if (file < 0) continue;
      close(file);
      path_ = name;
      return;
    }
    throw std::runtime_error("cannot make a file in the working directory, nor one in that of temporary files");
  }
  ProfileIndex(ProfileIndex const&) = delete;
  ProfileIndex& operator=(ProfileIndex const&) = delete;
  ~ProfileIndex() { unlink(path_.c_str()); }

  [[nodiscard]] std::string const& path() const { return path_; }
  // In the order in which the profiles were begun, each once.
  [[nodiscard]] std::vector<std::string> profiles() const {
    std::ifstream file(path_);
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);)
      if (std::ranges::find(found, line) == found.end()) found.push_back(line);
    return found;
  }

 private:
  std::string path_;
};

// Sends our output to stderr unless stdout is a terminal: the job's output in a file or pipe must not contain ours.
void lead_output_to_terminal() {
  if (isatty(STDOUT_FILENO) == 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

bool has_one_rank(std::string const& profile) {
  std::ifstream file(fs::path(profile) / "run.json");
  auto const run = nlohmann::json::parse(file, nullptr, false);
  return run.is_object() && run.value("ranks", nlohmann::json()) == 1;
}

// Writes the end of the job's command beside the spool files that unfinished profiles have.
void note_end(std::vector<std::string> const& profiles, mpisee_through::CommandEnd const& end) {
  std::error_code error;
  for (fs::path const profile : profiles)
    if (fs::is_directory(profile / "spool", error)) mpisee_through::write_command_end(profile / "spool", end);
}

// Whether each of several processes that a launcher started was a job of its own, as when launcher and program belong
// to different MPIs. The page of one of them would mislead.
bool are_separate_jobs(std::vector<std::string> const& profiles) {
  return profiles.size() > 1 && std::ranges::all_of(profiles, has_one_rank);
}

void tell_of_separate_jobs(std::vector<std::string> const& profiles, std::string const& launcher) {
  fmt::print(stderr,
             "commprof: {} processes under {} were jobs of their own: does it belong to another MPI than the program? "
             "\"commprof doctor COMMAND\" says. Each has a profile, such as {}\n",
             profiles.size(), launcher, profiles.front());
}

void report(std::string const& reader, RunOptions const& options, std::string const& profile) {
  std::string const page = profile + ".html";
  fflush(stdout);
  if (run_and_wait({reader, "report", profile, "-o", page}) != 0) return;
  if (!options.is_quiet) fmt::print("Page: {}\n", page);
}

void show(std::string const& reader, RunOptions const& options, std::vector<std::string> const& profiles) {
  lead_output_to_terminal();
  bool is_shown = false;
  for (std::string const& profile : profiles) {
    std::error_code error;
    if (!fs::is_directory(profile, error)) continue;  // moved to another place at the end, or on another host
    is_shown = true;
    if (!options.is_quiet) {
      fmt::print("\n");
      fflush(stdout);
      if (run_and_wait({reader, profile}) == 0) fmt::print("\nProfile: {}\n", profile);
    }
    if (options.wants_report) report(reader, options, profile);
    fflush(stdout);
  }
  if (is_shown) return;
  if (!profiles.empty()) fmt::print(stderr, "commprof: the profile is on the host of rank 0: {}\n", profiles.back());
  else
    fmt::print(
        stderr,
        "commprof: there is no profile; if no line above says why, \"commprof doctor COMMAND\" says what it sees of "
        "the program\n");
}

// Checked before the job, which may take days.
bool lacks_report(RunOptions const& options) {
  if (COMMPROF_HAS_REPORT || !options.wants_report) return false;
  fmt::print(stderr, "commprof: --report: it was built without the page: configure with -DCOMMPROF_REPORT=ON\n");
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
  std::vector<std::string> const profiles = index.profiles();
  if (exit_code == exit_not_found || exit_code == exit_not_run) return exit_code;
  FoundLauncher const launcher = launcher_of(options, words);
  if (launcher.kind != Launcher::none) note_end(profiles, end);  // a script goes on after its jobs
  if (launcher.kind != Launcher::none && are_separate_jobs(profiles))
    tell_of_separate_jobs(profiles, words[launcher.at]);
  else show(reader, options, profiles);
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

int run(int argc, char** argv) {
  RunOptions options;
  std::vector<std::string> words;
  if (auto const exit_code = parse_command(options.app, argc, argv, "no command to run", words)) return *exit_code;
  return lacks_report(options) ? exit_usage : run_job(options, words);
}

}  // namespace commprof_launcher
