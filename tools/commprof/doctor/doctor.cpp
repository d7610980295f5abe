#include "doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "launch/job_line.hpp"
#include "launch/launchers.hpp"
#include "launch/options.hpp"
#include "launch/run.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

constexpr char description[] =
    "Says what the profiler would see of a program, and why not the rest, without running it: which\n"
    "MPI it uses, which flavour of the profiler fits, how it is linked, which calls are known.\n"
    "\n"
    "  commprof doctor ./solver\n"
    "  commprof doctor mpirun -n 4 python3 solve.py     also whether mpirun fits\n";

constexpr int exit_not_seen = 1;

// mpirun: the launcher to look at.
Surroundings surroundings(std::string const& mpirun) {
  Surroundings around;
  around.front = library_path();
  auto front = read_elf(around.front);
  if (!front) throw std::runtime_error(fmt::format("{} is no library", around.front));
  around.front_file = std::move(*front);
  std::error_code error;
  fs::path const flavours = fs::canonical(around.front, error).parent_path() / "commprof";
  for (fs::directory_entry const& entry : fs::directory_iterator(flavours, error))
    if (entry.path().extension() == ".so") around.flavours.push_back(entry.path().stem().string());
  std::ranges::sort(around.flavours);
  around.mpirun = find_executable(mpirun);
  if (around.mpirun.empty()) return around;
  switch (launcher_of_version(output_of({around.mpirun, "--version"}))) {
    case Launcher::open_mpi:
      around.family_of_mpirun = "openmpi";
      break;
    case Launcher::hydra:
      around.family_of_mpirun = "mpich";
      break;
    default:
      break;
  }
  return around;
}

// The programs that a command runs.
std::vector<std::string> programs_of(std::vector<std::string> const& words, FoundLauncher launcher) {
  if (launcher.kind == Launcher::none) return {words[place_of_program(words)]};
  bool const is_srun = launcher.kind == Launcher::srun;
  std::string const help = is_srun ? output_of({words[launcher.at], "--help"}) : "";
  std::vector<std::string> programs;
  for (ProgramLine const& line : parse_job_line(words, launcher, words_of_option(launcher.kind, help)).programs)
    if (!line.program.empty()) programs.push_back(line.program[place_of_program(line.program)]);
  if (programs.empty()) throw std::runtime_error(fmt::format("{} is given no program", words[launcher.at]));
  return programs;
}

}  // namespace

int run_doctor(int argc, char** argv) {
  CLI::App app(description, "commprof doctor");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.prefix_command();
  app.formatter(std::make_shared<CommandFormatter>("Usage: commprof doctor [LAUNCHER …] PROGRAM [ARGUMENTS]\n"));
  std::vector<std::string> words;
  if (auto const exit_code = parse_command(app, argc, argv, "no program to look at", words)) return *exit_code;
  FoundLauncher const launcher = find_launcher(words);
  Surroundings const around = surroundings(launcher.kind == Launcher::none ? "mpirun" : words[launcher.at]);
  bool is_seen = true;
  for (std::string const& program : programs_of(words, launcher)) {
    Diagnosis const diagnosis = diagnose(inspect(program), around);
    fmt::print("{}: {}\n", program, diagnosis.summary);
    for (auto const& [what, text] : diagnosis.lines) fmt::print("  {:<9} {}\n", what, text);
    is_seen = is_seen && diagnosis.verdict != Verdict::not_seen;
  }
  return is_seen ? EXIT_SUCCESS : exit_not_seen;
}

}  // namespace commprof_launcher
