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

void write(std::string const& path, std::string_view text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("the generator writes the operations") {
  TemporaryDirectory directory;
  CHECK(generate(directory, "ops .").exit_code == 0);
  std::string const header = contents(directory / "ops.hpp");
  CHECK(header.find("  Send,\n") != std::string::npos);
  CHECK(header.find("  Iprobe,\n  Iprobe_none,\n") != std::string::npos);
  CHECK(header.find("  Abort,\n  count_\n};") != std::string::npos);
  CHECK(contents(directory / "ops.cpp").find("    \"Iprobe-none\",\n") != std::string::npos);
}

TEST_CASE("the generator writes a wrapper for each function of mpi.h or the standard that has one") {
  TemporaryDirectory directory;
  write(directory / "mpi.i", "int MPI_Barrier(MPI_Comm comm); int MPI_Finalize(void); double MPI_Wtime(void);");
  write(directory / "calls.h",
        "\nMPI_ABI_CALL(int, Comm_flush_buffer, (MPI_Comm comm))\nMPI_ABI_CALL(int, Finalize, (void))\n");
  Run const run = generate(directory, "wrappers mpi.i calls.h . strict");
  CHECK(run.exit_code == 0);
  CHECK(run.errors.empty());
  std::string const wrappers = contents(directory / "c_wrappers.cpp");
  CHECK(wrappers.find("COMMPROF_EXPORT int MPI_Barrier(MPI_Comm comm) {") != std::string::npos);
  CHECK(wrappers.find("MPI_Finalize") == std::string::npos);  // written by hand
  CHECK(wrappers.find("MPI_Wtime") == std::string::npos);
  CHECK(wrappers.find("COMMPROF_EXPORT int MPI_Comm_flush_buffer(MPI_Comm comm) {") != std::string::npos);
  CHECK(contents(directory / "next.hpp").find("[[gnu::weak]] int PMPI_Comm_flush_buffer(MPI_Comm comm);") !=
        std::string::npos);
  CHECK(contents(directory / "coverage.txt").starts_with("3 wrapped, 1 needs none, 0 unknown"));
}

TEST_CASE("a function that the call table does not know is a warning, or an error if asked for") {
  TemporaryDirectory directory;
  write(directory / "calls.h", "");
  write(directory / "mpi.i", "int MPI_Barrier(MPI_Comm comm); int MPI_Frobnicate(MPI_Comm comm);");
  Run const lenient = generate(directory, "wrappers mpi.i calls.h .");
  CHECK(lenient.exit_code == 0);
  CHECK(lenient.errors == "mpi.i: warning: the call table does not know MPI_Frobnicate\n");
  CHECK(std::filesystem::exists(directory / "c_wrappers.cpp"));

  std::filesystem::remove(directory / "c_wrappers.cpp");
  Run const strict = generate(directory, "wrappers mpi.i calls.h . strict");
  CHECK(strict.exit_code == 1);
  CHECK(strict.errors.starts_with("mpi.i: error: the call table does not know MPI_Frobnicate\n"));
  CHECK_FALSE(std::filesystem::exists(directory / "c_wrappers.cpp"));
}

TEST_CASE("a file that has not changed keeps its time, so that nothing is built again") {
  TemporaryDirectory directory;
  write(directory / "calls.h", "");
  write(directory / "mpi.i", "int MPI_Barrier(MPI_Comm comm);");
  REQUIRE(generate(directory, "wrappers mpi.i calls.h .").exit_code == 0);
  auto const long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(directory / "c_wrappers.cpp", long_ago);
  REQUIRE(generate(directory, "wrappers mpi.i calls.h .").exit_code == 0);
  CHECK(std::filesystem::last_write_time(directory / "c_wrappers.cpp") == long_ago);

  write(directory / "mpi.i", "int MPI_Barrier(MPI_Comm comm); int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);");
  REQUIRE(generate(directory, "wrappers mpi.i calls.h .").exit_code == 0);
  CHECK(std::filesystem::last_write_time(directory / "c_wrappers.cpp") > long_ago);
}

TEST_CASE("the generator's failures name the file and end it with 1") {
  TemporaryDirectory directory;
  write(directory / "calls.h", "");
  Run const missing = generate(directory, "wrappers mpi.i calls.h .");
  CHECK(missing.exit_code == 1);
  CHECK(missing.errors == "generator: mpi.i: cannot be read\n");

  write(directory / "empty.i", "typedef int MPI_Comm;");
  Run const empty = generate(directory, "wrappers empty.i calls.h .");
  CHECK(empty.exit_code == 1);
  CHECK(empty.errors == "generator: empty.i: declares no MPI function\n");

  write(directory / "mpi.i", "int MPI_Barrier(MPI_Comm comm);");
  Run const nowhere = generate(directory, "wrappers mpi.i calls.h missing");
  CHECK(nowhere.exit_code == 1);
  CHECK(nowhere.errors == "generator: missing/c_wrappers.cpp: cannot be written\n");
}

TEST_CASE("the generator explains its use") {
  TemporaryDirectory directory;
  for (char const* const arguments :
       {"", "ops", "wrappers mpi.i", "wrappers mpi.i .", "wrappers mpi.i calls.h . lax", "help", "ops a b"}) {
    INFO(arguments);
    Run const run = generate(directory, arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.errors.starts_with("usage: "));
  }
}
