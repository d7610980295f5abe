// Communicators nested deeper than 64 levels are folded: from there on, all of one letter share a record.
#include "workload.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  constexpr int deepest = 64, levels = 70;
  MPI_Comm comm = MPI_COMM_WORLD;
  std::string name = "W";
  for (int level = 1; level <= levels; ++level) {
    MPI_Comm_dup(comm, &comm);
    if (level <= deepest) name += "_d1";
    if (level == deepest + 1) name += "_d*";
    workload::require_name(comm, name);
    MPI_Barrier(comm);
  }
  return workload::finish();
}
