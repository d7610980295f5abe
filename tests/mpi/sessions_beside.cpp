// Sessions of a program that has called MPI_Init: communicators made from their groups are named under the world, by
// their members and the tag of the call.
#include <string>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;
using profile_test::ranks_in_name;

namespace {

void use(ProfileTest& test, MPI_Comm comm, std::string const& name, char const* call, int size) {
  MPI_Barrier(comm);
  MPI_Comm dup;
  MPI_Comm_dup(comm, &dup);
  MPI_Barrier(dup);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&comm);
  test.expect("W", call, {1, 0, 0});
  test.expect(name, "Barrier", {1, 0, 0});
  test.expect(name, "Comm_dup", {1, 0, 0});
  test.expect(name, "Comm_free", {1, 0, 0});
  test.expect(name + "_d1", "Barrier", {1, 0, 0});
  test.expect(name + "_d1", "Comm_free", {1, 0, 0});
  test.expect_communicator(name,
                           {{"parent", "W"}, {"created_by", call}, {"size", std::to_string(size)}, {"freed", "1"}});
}

// The ranks of one parity.
MPI_Group every_second(MPI_Group all, int size, int parity) {
  int range[1][3] = {{parity, parity + (size - 1 - parity) / 2 * 2, 2}};
  MPI_Group group;
  MPI_Group_range_incl(all, 1, range, &group);
  return group;
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    MPI_Session session;
    MPI_Group all;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    test.expect("SELF", "Session_init", {1, 0, 0});

    auto const name = [&](std::string const& members) { return "W_f" + std::to_string(round + 1) + "." + members; };
    std::string const even = ranks_in_name(0, test.ranks, 2), odd = ranks_in_name(1, test.ranks, 2);
    MPI_Comm comm;
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(test, comm, name(ranks_in_name(0, test.ranks) + ".all"), "Comm_create_from_group", test.ranks);

    int const parity = test.rank % 2;
    MPI_Group const mine = every_second(all, test.ranks, parity), other = every_second(all, test.ranks, 1 - parity);
    MPI_Comm_create_from_group(mine, parity == 0 ? "even" : "odd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(test, comm, name(parity == 0 ? even + ".even" : odd + ".odd"), "Comm_create_from_group",
        (test.ranks + 1 - parity) / 2);

    MPI_Intercomm_create_from_groups(mine, 0, other, 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(test, comm, name(even + "." + odd + ".between"), "Intercomm_create_from_groups", test.ranks);
    MPI_Group groups[] = {all, mine, other};
    for (MPI_Group& group : groups) MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    test.expect("SELF", "Session_finalize", {1, 0, 0});
  }
  // The world goes on after its sessions.
  MPI_Barrier(MPI_COMM_WORLD);
  test.expect("W", "Barrier", {1, 0, 0});
  return test.finish();
}
