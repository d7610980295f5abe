// The program of Figure 1 of the mpisee paper, on 4 processes: a grid, two halves, and in each half at the same time a
// different creation call. The profile holds these communicators and no other.
#include <set>
#include <string>

#include "profile_test.hpp"

using profile_test::ProfileTest;
using profile_test::Row;

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  test.require(test.ranks == 4, "this program is for 4 processes");
  bool const in_first_half = test.rank < 2;

  int const dims[] = {2, 2}, periods[] = {0, 1};
  MPI_Comm grid, half, last;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_split(MPI_COMM_WORLD, test.rank / 2, test.rank, &half);
  test.expect("W", "Cart_create", {1, 0, 0});
  test.expect("W", "Comm_split", {1, 0, 0});
  std::string const name_of_half = in_first_half ? "W_s2.0" : "W_s2.2";
  std::string const name_of_last = in_first_half ? "W_s2.0_d1" : "W_s2.2_c1.0";
  if (in_first_half) {
    MPI_Comm_dup(half, &last);
    test.expect(name_of_half, "Comm_dup", {1, 0, 0});
  } else {
    MPI_Group group;
    MPI_Comm_group(half, &group);
    MPI_Comm_create(half, group, &last);
    MPI_Group_free(&group);
    test.expect(name_of_half, "Comm_create", {1, 0, 0});
  }
  MPI_Comm_set_name(half, in_first_half ? "lower" : "upper");

  int value = 1, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, grid);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, last);
  for (std::string const& name : {std::string("W_a1"), name_of_half, name_of_last})
    test.expect(name, "Allreduce", {1, sizeof(int), 0});
  MPI_Comm_free(&last);
  test.expect(name_of_last, "Comm_free", {1, 0, 0});

  test.expect_communicator("W", {{"parent", ""},
                                 {"created_by", ""},
                                 {"size", "4"},
                                 {"members", "0-3"},
                                 {"topology", ""},
                                 {"reorder", ""},
                                 {"user_name", ""},
                                 {"freed", "0"}});
  test.expect_communicator("SELF",
                           {{"parent", ""}, {"created_by", ""}, {"size", "1"}, {"members", ""}, {"freed", "0"}});
  test.expect_communicator("W_a1", {{"parent", "W"},
                                    {"created_by", "Cart_create"},
                                    {"size", "4"},
                                    {"members", "0-3"},
                                    {"topology", "cart 2x2 periods 01"},
                                    {"reorder", "1"},
                                    {"freed", "0"}});
  test.expect_communicator("W_s2.0", {{"parent", "W"},
                                      {"created_by", "Comm_split"},
                                      {"size", "2"},
                                      {"members", "0-1"},
                                      {"topology", ""},
                                      {"reorder", ""},
                                      {"user_name", "lower"},
                                      {"freed", "0"}});
  test.expect_communicator("W_s2.2", {{"parent", "W"},
                                      {"created_by", "Comm_split"},
                                      {"size", "2"},
                                      {"members", "2-3"},
                                      {"topology", ""},
                                      {"reorder", ""},
                                      {"user_name", "upper"},
                                      {"freed", "0"}});
  test.expect_communicator("W_s2.0_d1", {{"parent", "W_s2.0"},
                                         {"created_by", "Comm_dup"},
                                         {"size", "2"},
                                         {"members", "0-1"},
                                         {"user_name", ""},
                                         {"freed", "1"}});
  test.expect_communicator("W_s2.2_c1.0", {{"parent", "W_s2.2"},
                                           {"created_by", "Comm_create"},
                                           {"size", "2"},
                                           {"members", "2-3"},
                                           {"user_name", ""},
                                           {"freed", "1"}});
  test.finish();

  std::set<std::string> names;
  for (Row const& row : test.communicators()) names.insert(row.at("comm"));
  std::set<std::string> const wanted{"W", "SELF", "W_a1", "W_s2.0", "W_s2.2", "W_s2.0_d1", "W_s2.2_c1.0"};
  test.require(names == wanted, "the profile holds other communicators");
  return test.exit_code();
}
