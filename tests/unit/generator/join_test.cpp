#include "join.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

using namespace commprof;
using namespace commprof::generator;

namespace {

std::vector<Function> joined(std::string_view text) { return join_table(read_prototypes(text)); }

Function only_function(std::string_view text) {
  std::vector<Function> const functions = joined(text);
  REQUIRE(functions.size() == 1);
  return functions[0];
}

constexpr char const* prototype_of_send =
    "int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);";

}  // namespace

TEST_CASE("words are what stands between spaces") {
  CHECK(words("").empty());
  CHECK(words(" ").empty());
  CHECK(words("one") == std::vector<std::string>{"one"});
  CHECK(words("  one  two three ") == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("a function with a row is wrapped, with the table's names for its parameters") {
  Function const function = only_function(prototype_of_send);
  CHECK(function.coverage == Coverage::wrapped);
  REQUIRE(function.row != nullptr);
  CHECK(function.row->name == "Send");
  CHECK(function.names == std::vector<std::string>{"buf", "count", "datatype", "dest", "tag", "comm"});
  CHECK(function.prototype.name == "MPI_Send");
  CHECK(function.prototype.parameters.size() == 6);
}

TEST_CASE("the names of mpi.h do not matter") {
  Function const function =
      only_function("int MPI_Recv(void *, int, MPI_Datatype, int from, int, MPI_Comm c, MPI_Status *);");
  CHECK(function.names == std::vector<std::string>{"buf", "count", "datatype", "source", "tag", "comm", "status"});
}

TEST_CASE("a call with large counts shares the row of the call without the suffix") {
  Function const function = only_function(
      "int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);");
  CHECK(function.coverage == Coverage::wrapped);
  CHECK(function.row == only_function(prototype_of_send).row);
  CHECK(function.prototype.name == "MPI_Send_c");
  CHECK(function.prototype.parameters[1].before == "MPI_Count");
  CHECK(only_function("int MPI_Type_vector_c(int n);").coverage == Coverage::needs_none);
  CHECK(only_function("int MPI_Unheard_of_c(int n);").coverage == Coverage::unknown);
}

TEST_CASE("a row and a prototype that differ in their number of parameters are an error that names the function") {
  char const* const text = GENERATE("int MPI_Barrier(void);", "int MPI_Barrier(MPI_Comm comm, int more);");
  try {
    joined(text);
    FAIL("no exception");
  } catch (std::runtime_error const& error) {
    std::string const message = error.what();
    INFO(message);
    CHECK(message.find("MPI_Barrier") != std::string::npos);
    CHECK(message.find("the call table names 1") != std::string::npos);
  }
}

TEST_CASE("a call without a row needs none or is unknown") {
  CHECK(only_function("double MPI_Wtime(void);").coverage == Coverage::needs_none);
  CHECK(only_function("int MPIX_Query_cuda_support(void);").coverage == Coverage::needs_none);
  CHECK(only_function("int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);").coverage == Coverage::needs_none);
  // not a persistent operation, in spite of its name
  CHECK(only_function("int MPIX_Threadcomm_init(MPI_Comm comm, int num_threads, MPI_Comm *newcomm);").coverage ==
        Coverage::needs_none);
  Function const unknown = only_function("int MPI_Frobnicate(MPI_Comm comm);");
  CHECK(unknown.coverage == Coverage::unknown);
  CHECK(unknown.row == nullptr);
}

TEST_CASE("a name is looked up whole") {
  CHECK(only_function("int MPI_Wtim(void);").coverage == Coverage::unknown);
  CHECK(only_function("int MPI_Wtime2(void);").coverage == Coverage::unknown);
  CHECK(only_function("int MPIX_Send(int n);").coverage ==
        Coverage::unknown);  // an extension of that name is another call
}

TEST_CASE("functions stay in the order of mpi.h") {
  std::vector<Function> const functions =
      joined("double MPI_Wtime(void); int MPI_Barrier(MPI_Comm comm); int MPI_Finalize(void);");
  REQUIRE(functions.size() == 3);
  CHECK(functions[0].prototype.name == "MPI_Wtime");
  CHECK(functions[1].prototype.name == "MPI_Barrier");
  CHECK(functions[2].prototype.name == "MPI_Finalize");
}

TEST_CASE("the coverage report has the totals and a line for each function") {
  std::string const report =
      coverage_report(joined("int MPI_Barrier(MPI_Comm comm); double MPI_Wtime(void); int MPI_Frobnicate(void);"
                             "int MPI_Finalize(void); double MPI_Wtick(void);"));
  CHECK(report ==
        "2 wrapped, 2 needs none, 1 unknown to the call table, 5 functions in all\n"
        "MPI_Barrier: wrapped\n"
        "MPI_Finalize: wrapped\n"
        "MPI_Wtime: needs none\n"
        "MPI_Wtick: needs none\n"
        "MPI_Frobnicate: unknown to the call table\n");
}

TEST_CASE("the report of an empty mpi.h") {
  CHECK(coverage_report({}) == "0 wrapped, 0 needs none, 0 unknown to the call table, 0 functions in all\n");
}
