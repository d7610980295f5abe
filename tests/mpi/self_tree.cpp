// MPI_COMM_SELF is the root of a tree of its own. Each process has such a tree, with the same names, so one row stands
// for the communicators of all processes with that name.
#include <string>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

void use(ProfileTest& test, NamedComm const& comm) {
  int value = 0, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm.handle);
  test.expect(comm.name, "Allreduce", {1, sizeof(int), 0});
}

std::string const long_name(120, 'x');

MPI_Comm make_named(MPI_Comm parent) {
  MPI_Comm made;
  MPI_Comm_dup(parent, &made);
  MPI_Comm_set_name(made, long_name.c_str());
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm dup, split, cart;
  int const dims[] = {1}, periods[] = {1};
  MPI_Comm_dup(MPI_COMM_SELF, &dup);
  MPI_Comm_split(MPI_COMM_SELF, 0, 0, &split);
  MPI_Cart_create(dup, 1, dims, periods, 0, &cart);
  test.expect("SELF", "Comm_dup", {1, 0, 0});
  test.expect("SELF", "Comm_split", {1, 0, 0});
  test.expect("SELF_d1", "Cart_create", {1, 0, 0});
  use(test, {MPI_COMM_SELF, "SELF"});
  use(test, {dup, "SELF_d1"});
  use(test, {split, "SELF_s2.0"});
  use(test, {cart, "SELF_d1_a1"});
  MPI_Comm_free(&split);
  test.expect("SELF_s2.0", "Comm_free", {1, 0, 0});

  // Some processes create more of them than others; the last one creates more than fit into one message.
  if (test.rank == test.ranks - 1) {
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    test.expect("SELF", "Comm_dup", {1, 0, 0});
    use(test, {dup, "SELF_d3"});
    for (int i = 1; i <= 900; ++i) {
      NamedComm const one{make_named(dup), "SELF_d3_d" + std::to_string(i)};
      use(test, one);
      test.expect("SELF_d3", "Comm_dup", {1, 0, 0});
      test.expect_communicator(one.name, {{"parent", "SELF_d3"}, {"user_name", long_name}, {"freed", "0"}});
    }
  }

  test.expect_communicator("SELF",
                           {{"parent", ""}, {"created_by", ""}, {"size", "1"}, {"members", ""}, {"freed", "0"}});
  test.expect_communicator("SELF_d1", {{"parent", "SELF"}, {"created_by", "Comm_dup"}, {"size", "1"}, {"freed", "0"}});
  test.expect_communicator("SELF_s2.0",
                           {{"parent", "SELF"}, {"created_by", "Comm_split"}, {"size", "1"}, {"freed", "1"}});
  test.expect_communicator("SELF_d1_a1", {{"parent", "SELF_d1"}, {"topology", "cart 1 periods 1"}, {"size", "1"}});
  test.expect_communicator("SELF_d3", {{"parent", "SELF"}, {"created_by", "Comm_dup"}});
  return test.finish();
}
