// Programs that start the processes of an MPI job, and how each is told what the environment of these is to hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commprof_launcher {

enum class Launcher {
  none,      // a plain program, or a launcher that hands on its own environment
  open_mpi,  // mpirun -x NAME=VALUE, also PRRTE's
  hydra,     // mpiexec -genv NAME VALUE: MPICH, Intel MPI, MVAPICH
  srun,      // srun --export=ALL,NAME=VALUE
  flux,      // flux run --env=NAME=VALUE
};

// The names that --launcher takes.
[[nodiscard]] std::optional<Launcher> launcher_named(std::string_view name);
[[nodiscard]] std::string_view name_of(Launcher launcher);

struct FoundLauncher {
  Launcher kind = Launcher::none;
  std::size_t at = 0;  // its place in the words of the command
};

// Looks for the launcher in a command: its first word, or one that follows words such as timeout or env. Which mpirun
// that is, its --version says.
[[nodiscard]] FoundLauncher find_launcher(std::vector<std::string> const& command);

// By what an mpirun answers to --version.
[[nodiscard]] Launcher launcher_of_version(std::string_view answer);

// The path that the shell would run; empty if there is none.
[[nodiscard]] std::string find_executable(std::string const& name);

// Standard output of a command, without its standard error; empty if it cannot be run.
[[nodiscard]] std::string output_of(std::vector<std::string> const& command);

}  // namespace commprof_launcher
