// Programs that create communicators without end: children beyond the limit share one record for each letter, equally
// on all members.
//
// The limit is COMMPROF_MAX_COMMS, as the environment sets it, or 1000.
#include <cstdlib>
#include <string>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

class Program {
 public:
  Program(ProfileTest& profile_test, int limit) : test_(profile_test), limit_(limit) {}

  void duplicate(NamedComm const& parent, int number) {
    for (int i = 1; i <= number; ++i) {
      MPI_Comm comm;
      MPI_Comm_dup(parent.handle, &comm);
      test_.expect(parent.name, "Comm_dup", {1, 0, 0});
      std::string const name = parent.name + (i <= limit_ ? "_d" + std::to_string(i) : "_d*");
      if (i > limit_) ++folded_;
      use({comm, name});
      MPI_Comm_free(&comm);
      test_.expect(name, "Comm_free", {1, 0, 0});
      if (i <= limit_) test_.expect_communicator(name, {{"created_by", "Comm_dup"}, {"freed", "1"}});
    }
  }

  // Creates children of a parent beyond its limit: each letter has one record, in which this process has several ranks.
  void beyond(NamedComm const& parent) {
    MPI_Comm half, reversed, dup, of_folded;
    MPI_Comm_split(parent.handle, parent.rank % 2, 0, &half);
    MPI_Comm_split(parent.handle, 0, -parent.rank, &reversed);
    MPI_Comm_dup(parent.handle, &dup);
    test_.expect(parent.name, "Comm_split", {2, 0, 0});
    test_.expect(parent.name, "Comm_dup", {1, 0, 0});
    std::string const splits = parent.name + "_s*", dups = parent.name + "_d*";
    use({half, splits});
    use({reversed, splits});
    use({dup, dups});
    folded_ += 3;

    // The children of a folded communicator are folded into the same few records.
    MPI_Comm_dup(half, &of_folded);
    test_.expect(splits, "Comm_dup", {1, 0, 0});
    use({of_folded, dups});
    MPI_Comm_split(dup, parent.rank % 2, 0, &of_folded);
    test_.expect(dups, "Comm_split", {1, 0, 0});
    use({of_folded, splits});
    MPI_Comm_split(of_folded, 0, 0, &of_folded);
    test_.expect(splits, "Comm_split", {1, 0, 0});
    use({of_folded, splits});
    folded_ += 3;
    test_.expect_communicator(splits, {{"parent", parent.name},
                                       {"created_by", "Comm_split"},
                                       {"size", std::to_string(parent.size)},
                                       {"members", everybody()},
                                       {"freed", "0"}});
    test_.expect_communicator(dups, {{"parent", parent.name},
                                     {"created_by", "Comm_dup"},
                                     {"size", std::to_string(parent.size)},
                                     {"members", everybody()},
                                     {"freed", "0"}});
  }

  void expect_folded() { test_.expect_folded("communicators", folded_ * static_cast<std::uint64_t>(test_.ranks)); }

 private:
  std::string everybody() const { return test_.ranks == 1 ? "0" : "0-" + std::to_string(test_.ranks - 1); }

  // Calls that depend on the rank: on the root, and on the last process.
  void use(NamedComm const& comm) {
    int value = 0, sum = 0;
    int const root = comm.size - 1;
    bool const is_last = comm.rank == root;
    MPI_Bcast(&value, 1, MPI_INT, root, comm.handle);
    test_.expect(comm.name, "Bcast", {1, 0, is_last ? 0 : sizeof(int)});
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm.handle);
    test_.expect(comm.name, "Scan", {1, is_last ? 0 : sizeof(int), 0});
  }

  ProfileTest& test_;
  int limit_;
  std::uint64_t folded_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  char const* const option = std::getenv("COMMPROF_MAX_COMMS");
  int const limit = option == nullptr ? 1000 : std::atoi(option);
  Program program(test, limit);
  if (option == nullptr) {
    program.duplicate({MPI_COMM_WORLD, "W"}, limit + limit / 2);
    program.beyond({MPI_COMM_WORLD, "W"});
  } else {
    // In this parent, the process of rank 0, which knows the members, is the last one of the world.
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
    test.expect("W", "Comm_split", {1, 0, 0});
    program.duplicate({reversed, "W_s1.0"}, limit + limit / 2);
    program.beyond({reversed, "W_s1.0"});
  }
  program.expect_folded();
  return test.finish();
}
