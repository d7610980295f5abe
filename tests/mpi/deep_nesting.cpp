// Communicators nested deeper than 64 levels are folded: from there on, all of one letter share a record.
#include <string>

#include "profile_test.hpp"

using profile_test::ProfileTest;

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  constexpr int deepest = 64, levels = 70;
  MPI_Comm comm = MPI_COMM_WORLD;
  std::string name = "W";
  for (int level = 1; level <= levels; ++level) {
    MPI_Comm const parent = comm;
    MPI_Comm_dup(parent, &comm);
    test.expect(name, "Comm_dup", {1, 0, 0});
    if (level <= deepest) name += "_d1";
    if (level == deepest + 1) name += "_d*";
    MPI_Barrier(comm);
    test.expect(name, "Barrier", {1, 0, 0});
  }
  test.expect_communicator(name, {{"parent", name.substr(0, name.size() - 3)}, {"size", std::to_string(test.ranks)}});
  test.expect_folded("communicators", (levels - deepest) * static_cast<std::uint64_t>(test.ranks));
  return test.finish();
}
