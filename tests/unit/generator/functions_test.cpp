#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "generator.hpp"

using namespace commprof::generator;

namespace {

constexpr std::string_view standard = R"(typedef int MPI_Comm; typedef int MPI_Copy_function(MPI_Comm, int);
extern "C" { typedef struct { int MPI_SOURCE; } MPI_Status;
int MPI_Barrier(MPI_Comm comm); int PMPI_Barrier(MPI_Comm comm);
int MPI_Comm_rank (MPI_Comm, int*);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices [], MPI_Status array_of_statuses[]);
int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm, int array_of_errcodes[]);
int MPI_Pcontrol(const int level, ...); double MPI_Wtime(void);
)";

std::vector<std::string> names(std::string_view mpi_h) {
  std::vector<std::string> found;
  for (Function const& function : read_functions(mpi_h, standard)) found.push_back(function.prototype.name);
  return found;
}

// The declaration of a wrapped function, with its names in the table.
std::string declaration(std::string const& name) {
  for (Function const& function : read_functions("int PMPI_Barrier();", standard)) {
    if (function.prototype.name != name) continue;
    std::vector<std::string> parameters;
    for (std::size_t i = 0; i < function.names.size(); ++i)
      parameters.push_back(function.prototype.parameters[i].declare(function.names[i]));
    return function.prototype.result + " " + name + "(" + list(parameters) + ")";
  }
  return "";
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a function has the standard's types and the table's names") {
  CHECK(declaration("MPI_Barrier") == "int MPI_Barrier(MPI_Comm comm)");
  CHECK(declaration("MPI_Pcontrol") == "int MPI_Pcontrol(const int level)");
  CHECK(declaration("MPI_Waitsome") ==
        "int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int * outcount, int array_of_indices[], "
        "MPI_Status array_of_statuses[])");
  CHECK(declaration("MPI_Comm_spawn") ==
        "int MPI_Comm_spawn(const char * command, char * argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, "
        "MPI_Comm * newcomm, int array_of_errcodes[])");
}

TEST_CASE("all wrapped functions of the standard, and those that the mpi.h declares, are found") {
  Lines const wrapped{"MPI_Barrier",  "MPI_Barrier_init", "MPI_Comm_spawn",
                      "MPI_Ibarrier", "MPI_Pcontrol",     "MPI_Waitsome"};
  CHECK(names("int PMPI_Barrier(MPI_Comm comm);") == wrapped);
  Lines more = wrapped;
  more.insert(more.begin() + 2, "MPI_Comm_rank");
  more.insert(more.begin() + 4, "MPI_Experiment");
  CHECK(names("extern int\nPMPI_Comm_rank(MPI_Comm, int *) __attribute__((x(\"\"))); int PMPI_Experiment(int);") ==
        more);
  for (Function const& function : read_functions("int PMPI_Barrier(MPI_Comm); int PMPI_Experiment();", standard)) {
    CHECK(function.is_declared ==
          (function.prototype.name == "MPI_Barrier" || function.prototype.name == "MPI_Experiment"));
    CHECK((function.coverage == Coverage::unknown) == (function.prototype.name == "MPI_Experiment"));
  }
}

TEST_CASE("persistent collectives from before the standard have the prototype that the standard gave them") {
  CHECK(names("int PMPIX_Barrier_init();").front() == "MPIX_Barrier_init");
  CHECK(read_functions("int PMPIX_Barrier_init();", standard).front().prototype.parameters.size() == 3);
}

TEST_CASE("a call of the table that the standard's list lacks, or has otherwise, is an error") {
  CHECK_THROWS(read_functions("int PMPI_Send();", standard));
  CHECK_THROWS(read_functions("int PMPI_Barrier();", "int MPI_Barrier(void);"));
}

TEST_CASE("text that declares no function of MPI has none") {
  for (char const* const text : {"", "int PMPI", "((((((", "}}}}", "\"an open string", "int MPI_Send(void);"})
    CHECK(names(text).empty());
}
