#include "doctor/mpi_names.hpp"

#include <catch2/catch.hpp>

using namespace commprof_launcher;
using Names = std::vector<std::string>;

TEST_CASE("imports are told apart by what the profiler does with them") {
  ElfFile file;
  file.imports = {"MPI_Send",  "MPI_Comm_rank",   "MPI_Foo",        "MPI_COMM_TYPE", "PMPI_Barrier",
                  "mpi_send_", "mpi_comm_rank_",  "mpi_foo_",       "printf",        "mpi_of_ours",
                  "MPI_Wtime", "MPI_Type_size_c", "mpi_send_f08ts_"};
  MpiNames const names = mpi_names(file, {"MPI_Send", "mpi_send_", "mpi_send_f08ts_"});
  CHECK(names.c == Names{"MPI_Send"});
  CHECK(names.fortran == Names{"mpi_send_", "mpi_send_f08ts_"});
  CHECK(names.profiling == Names{"PMPI_Barrier"});
  // Neither MPI_Comm_rank nor MPI_Wtime has anything to count.
  CHECK(names.unknown == Names{"MPI_Foo", "mpi_foo_"});
  CHECK(names.defined == Names{});
}

TEST_CASE("a tool defines functions and calls PMPI, a stand-in only defines them") {
  ElfFile file;
  file.exports = {"MPI_Send", "MPI_Comm_rank", "mpi_send_", "main", "PMPI_Send"};
  CHECK(mpi_names(file, {"MPI_Send", "mpi_send_"}).defined == Names{"MPI_Send", "mpi_send_"});
  CHECK_FALSE(mpi_names(file, {"MPI_Send"}).are_of_tool());
  file.imports = {"PMPI_Send"};
  CHECK(mpi_names(file, {"MPI_Send"}).are_of_tool());
}
