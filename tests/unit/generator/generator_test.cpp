// Tests the generator program that the build runs.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/child.hpp"
#include "support/temporary_directory.hpp"

namespace {

struct Run {
  int exit_code;
  std::string errors;
};

// Runs the generator in the directory.
Run generate(TemporaryDirectory const& directory, std::string const& arguments) {
  std::string const command =
      "cd '" + directory / "" + "' && " + COMMPROF_GENERATOR + " " + arguments + " >out.txt 2>err.txt </dev/null";
  int const status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(directory / "err.txt")};
}

constexpr std::string_view barrier = "int MPI_Barrier(MPI_Comm comm);";
constexpr std::string_view barriers =
    "int MPI_Barrier(MPI_Comm comm); int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);";

void write(std::string const& path, std::string_view text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("a file that has not changed keeps its time, so that nothing is built again") {
  TemporaryDirectory directory;
  write(directory / "abi.i", barrier);
  write(directory / "mpi.i", "int PMPI_Barrier(MPI_Comm comm);");
  REQUIRE(generate(directory, "wrappers mpi.i abi.i .").exit_code == 0);
  auto const long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(directory / "c_wrappers.cpp", long_ago);
  REQUIRE(generate(directory, "wrappers mpi.i abi.i .").exit_code == 0);
  CHECK(std::filesystem::last_write_time(directory / "c_wrappers.cpp") == long_ago);

  write(directory / "abi.i", barriers);
  REQUIRE(generate(directory, "wrappers mpi.i abi.i .").exit_code == 0);
  CHECK(std::filesystem::last_write_time(directory / "c_wrappers.cpp") > long_ago);
}

TEST_CASE("the generator's failures name the file and end it with 1") {
  TemporaryDirectory directory;
  write(directory / "abi.i", barrier);
  Run const missing = generate(directory, "wrappers mpi.i abi.i .");
  CHECK(missing.exit_code == 1);
  CHECK(missing.errors == "generator: mpi.i: cannot be read\n");

  write(directory / "empty.i", "typedef int MPI_Comm;");
  Run const empty = generate(directory, "wrappers empty.i abi.i .");
  CHECK(empty.exit_code == 1);
  CHECK(empty.errors == "generator: empty.i: declares no MPI function\n");

  write(directory / "mpi.i", "int PMPI_Barrier(MPI_Comm comm);");
  Run const nowhere = generate(directory, "wrappers mpi.i abi.i missing");
  CHECK(nowhere.exit_code == 1);
  CHECK(nowhere.errors == "generator: missing/c_wrappers.cpp: cannot be written\n");
}
#include "generator.hpp"
