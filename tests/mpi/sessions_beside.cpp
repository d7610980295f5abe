// Sessions of a program that has called MPI_Init: communicators made from their groups are named under the world, by
// their members and the tag of the call.
#include <string>

#include "profile_test.hpp"
#include "workload.hpp"

using profile_test::ranks_in_name;

namespace {

void use(MPI_Comm comm, std::string const& name) {
  workload::require_name(comm, name);
  MPI_Barrier(comm);
  MPI_Comm dup;
  MPI_Comm_dup(comm, &dup);
  workload::require_name(dup, name + "_d1");
  MPI_Barrier(dup);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&comm);
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
  MPI_Init(&argc, &argv);
  workload::Ring const world(MPI_COMM_WORLD);
  for (int round = 0; round < 2; ++round) {
    MPI_Session session;
    MPI_Group all;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);

    auto const name = [&](std::string const& members) { return "W_f" + std::to_string(round + 1) + "." + members; };
    std::string const even = ranks_in_name(0, world.size, 2), odd = ranks_in_name(1, world.size, 2);
    MPI_Comm comm;
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(comm, name(ranks_in_name(0, world.size) + ".all"));

    int const parity = world.rank % 2;
    MPI_Group const mine = every_second(all, world.size, parity), other = every_second(all, world.size, 1 - parity);
    MPI_Comm_create_from_group(mine, parity == 0 ? "even" : "odd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(comm, name(parity == 0 ? even + ".even" : odd + ".odd"));

    MPI_Intercomm_create_from_groups(mine, 0, other, 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(comm, name(even + "." + odd + ".between"));
    MPI_Group groups[] = {all, mine, other};
    for (MPI_Group& group : groups) MPI_Group_free(&group);
    MPI_Session_finalize(&session);
  }
  // The world goes on after its sessions.
  MPI_Barrier(MPI_COMM_WORLD);
  return workload::finish();
}
