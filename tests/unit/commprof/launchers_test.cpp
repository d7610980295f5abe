#include "launch/launchers.hpp"

#include <catch2/catch.hpp>

#include "../support/temporary_directory.hpp"

using namespace commprof_launcher;

TEST_CASE("an mpirun is known by what it says of its version") {
  // The first line of each launcher's --version.
  CHECK(launcher_of_version("mpirun (Open MPI) 4.1.4\n") == Launcher::open_mpi);
  CHECK(launcher_of_version("mpirun.openmpi (OpenRTE) 4.1.4\n") == Launcher::open_mpi);
  CHECK(launcher_of_version("prterun (PRRTE) 3.0.2\n") == Launcher::open_mpi);
  CHECK(launcher_of_version("HYDRA build details:\n    Version: 4.0.2\n") == Launcher::hydra);
  CHECK(launcher_of_version("Intel(R) MPI Library for Linux* OS, Version 2021.9\n") == Launcher::hydra);
  CHECK(launcher_of_version("") == Launcher::none);
}

TEST_CASE("the launcher is the first word, or follows words that run others") {
  // sh is not a launcher, whatever its arguments are.
  CHECK(find_launcher({"sh", "-c", "mpirun"}).kind == Launcher::none);
  CHECK(find_launcher({"srun", "./a"}).kind == Launcher::srun);
  CHECK(find_launcher({}).kind == Launcher::none);
  CHECK(find_launcher({"./mpirunner"}).kind == Launcher::none);
  // An argument of a program is not a launcher.
  CHECK(find_launcher({"nice", "-n", "5", "sh", "srun"}).kind == Launcher::none);
  // A word with a launcher's name that is not an executable is an argument.
  CHECK(find_launcher({"timeout", "5", TemporaryDirectory() / "srun", "./a"}).kind == Launcher::none);
}

TEST_CASE("programs are found as a shell finds them, and what they say is their standard output alone") {
  CHECK(find_executable("sh").ends_with("/sh"));
  CHECK((find_executable("/bin").empty() && find_executable("no-such-program-anywhere").empty()));
  CHECK(output_of({"sh", "-c", "echo one; echo two >&2"}) == "one\n");
}
