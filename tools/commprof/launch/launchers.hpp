// Programs that start the processes of an MPI job, each with its own way to set the processes' environment, and their
// command lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/options.hpp"

namespace commprof_launcher {

using Words = std::vector<std::string>;

enum class Launcher {
  none,      // a plain program, or a launcher that passes on its own environment
  open_mpi,  // mpirun -x NAME=VALUE, also that of PRRTE
  hydra,     // mpiexec -genv NAME VALUE: MPICH, Intel MPI, MVAPICH
  srun,      // srun --export=ALL,NAME=VALUE
  flux,      // flux run --env=NAME=VALUE
};

// The values of --launcher.
[[nodiscard]] std::optional<Launcher> launcher_named(std::string_view name);

struct FoundLauncher {
  Launcher kind = Launcher::none;
  std::size_t at = 0;  // index in the words of the command
};

// The index of what a command runs: of its first word, or of one after words such as timeout or env.
[[nodiscard]] std::size_t place_of_program(Words const& command);

// Finds the launcher in a command, at place_of_program(). Runs an mpirun with --version to find out which it is.
[[nodiscard]] FoundLauncher find_launcher(Words const& command);

// Recognises an mpirun by its answer to --version.
[[nodiscard]] Launcher launcher_of_version(std::string_view answer);

// The path that the shell would run; empty if there is none.
[[nodiscard]] std::string find_executable(std::string const& name);

// The standard output of a command; empty if it cannot be run.
[[nodiscard]] std::string output_of(Words const& command);

struct ProgramLine {
  std::vector<Words> options;  // each option with its values
  Words program;               // program and arguments
};

// A launcher's command line: the launcher, its options, a program, the program's arguments. In a job of several
// programs, options, program and arguments repeat after each separator. Words of a program are never changed.
struct JobLine {
  Words launcher;  // with preceding words, such as timeout 60, and its own command, as in flux run
  std::vector<ProgramLine> programs;

  [[nodiscard]] Words words() const;
};

// An unknown option also takes the next word, unless that is the name of an executable.
[[nodiscard]] JobLine parse_job_line(Words const& words, FoundLauncher launcher);

// The name of an option, without dashes and without =VALUE.
[[nodiscard]] std::string_view option_name(std::string_view word);

// Additions to the environment of the ranks.
struct Injection {
  std::string preload;  // the whole value of LD_PRELOAD
  Variables variables;  // COMMPROF_…
};

struct Command {
  Words words;
  Variables environment;  // variables to add to the launcher's environment
  Words removed;          // variables to remove from it
};

// Changes the command of a job so that its ranks, but not its launcher, load the profiler. Does not change words that
// belong to a program, and keeps what the user preloads. Throws std::runtime_error with a one-line message if the
// variables cannot be passed on.
[[nodiscard]] Command inject(Words words, FoundLauncher launcher, Injection const& injection);

}  // namespace commprof_launcher
