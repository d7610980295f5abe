// Programs that start the processes of an MPI job. Each has its own way to set the processes' environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commprof_launcher {

enum class Launcher {
  none,      // a plain program, or a launcher that passes on its own environment
  open_mpi,  // mpirun -x NAME=VALUE, also that of PRRTE
  hydra,     // mpiexec -genv NAME VALUE: MPICH, Intel MPI, MVAPICH
  srun,      // srun --export=ALL,NAME=VALUE
  flux,      // flux run --env=NAME=VALUE
};

// The values of --launcher.
[[nodiscard]] std::optional<Launcher> launcher_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Launcher launcher);

struct FoundLauncher {
  Launcher kind = Launcher::none;
  std::size_t at = 0;  // index in the words of the command
};

// The index of what a command runs: of its first word, or of one after words such as timeout or env.
[[nodiscard]] std::size_t place_of_program(std::vector<std::string> const& command);

// Finds the launcher in a command, at place_of_program(). Runs an mpirun with --version to find out which it is.
[[nodiscard]] FoundLauncher find_launcher(std::vector<std::string> const& command);

// Recognises an mpirun by its answer to --version.
[[nodiscard]] Launcher launcher_of_version(std::string_view answer);

// The path that the shell would run; empty if there is none.
[[nodiscard]] std::string find_executable(std::string const& name);

// The standard output of a command; empty if it cannot be run.
[[nodiscard]] std::string output_of(std::vector<std::string> const& command);

}  // namespace commprof_launcher
