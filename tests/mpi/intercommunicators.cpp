// Intercommunicators: their collectives move data only from one group to the other. Their names contain both groups, so
// that both sides form the same names, also for communicators created from them.
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;
using profile_test::ranks_in_name;

namespace {

struct Program {
  ProfileTest& test;
  MPI_Comm inter;
  std::string name;
  bool is_below;
  int rank = 0, remote_size = 0;
  std::vector<int> out = std::vector<int>(100), in = std::vector<int>(100);

  void expect(char const* op, int sent, int received) {
    test.expect(name, op, {1, bytes(sent, MPI_INT), bytes(received, MPI_INT)});
  }

  // From or to process 0 of the lower group.
  void rooted(int count) {
    int const root = !is_below ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(out.data(), count, MPI_INT, root, inter);
    expect("Bcast", 0, is_below ? 0 : count);
    MPI_Gather(out.data(), count, MPI_INT, in.data(), count, MPI_INT, root, inter);
    expect("Gather", is_below ? 0 : count, 0);
    MPI_Scatter(out.data(), count, MPI_INT, in.data(), count, MPI_INT, root, inter);
    expect("Scatter", 0, is_below ? 0 : count);
    MPI_Reduce(out.data(), in.data(), count, MPI_INT, MPI_SUM, root, inter);
    expect("Reduce", is_below ? 0 : count, 0);
  }

  void symmetric(int count) {
    MPI_Barrier(inter);
    expect("Barrier", 0, 0);
    MPI_Allgather(out.data(), count, MPI_INT, in.data(), count, MPI_INT, inter);
    expect("Allgather", count, 0);
    MPI_Allreduce(out.data(), in.data(), count, MPI_INT, MPI_SUM, inter);
    expect("Allreduce", count, 0);
    MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, inter);
    expect("Alltoall", remote_size * count, 0);
  }

  // Ranks belong to the other group.
  void point_to_point(int count) {
    if (rank != 0) return;
    MPI_Sendrecv(out.data(), count, MPI_INT, 0, 0, in.data(), 100, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    expect("Sendrecv", count, count);
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  int const half = test.ranks / 2;
  bool const is_below = test.rank < half;
  MPI_Comm local, inter, merged;
  MPI_Comm_split(MPI_COMM_WORLD, is_below ? 0 : 1, 0, &local);
  test.expect("W", "Comm_split", {1, 0, 0});
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, is_below ? half : 0, 5, &inter);
  test.expect(is_below ? "W_s1.0" : "W_s1." + std::to_string(half), "Intercomm_create", {1, 0, 0});
  std::string const groups = ranks_in_name(0, half) + "." + ranks_in_name(half, test.ranks);
  std::string const name = "W_i1." + groups + ".t5", everybody = "0-" + std::to_string(test.ranks - 1);

  Program program{test, inter, name, is_below};
  MPI_Comm_rank(inter, &program.rank);
  MPI_Comm_remote_size(inter, &program.remote_size);
  for (int const count : {0, 3}) {
    program.rooted(count);
    program.symmetric(count);
    program.point_to_point(count);
  }
  test.expect_communicator(name, {{"parent", "W"},
                                  {"created_by", "Intercomm_create"},
                                  {"size", std::to_string(test.ranks)},
                                  {"members", everybody}});

  MPI_Comm dup;
  MPI_Comm_dup(inter, &dup);
  test.expect(name, "Comm_dup", {1, 0, 0});
  program.inter = dup;
  program.name = name + "_d1";
  program.rooted(7);
  program.symmetric(7);

  // Each group is split into two if it has several processes; halves with the same colour join.
  MPI_Comm part;
  int const color = program.rank % 2;
  MPI_Comm_split(inter, color, 0, &part);
  test.expect(name, "Comm_split", {1, 0, 0});
  if (part != MPI_COMM_NULL) {
    MPI_Barrier(part);
    test.expect(name + "_s2." + std::to_string(color), "Barrier", {1, 0, 0});
  }

  // Merges both groups into one.
  for (int i = 1; i <= 2; ++i) {
    MPI_Intercomm_merge(inter, is_below ? 0 : 1, &merged);
    test.expect(name, "Intercomm_merge", {1, 0, 0});
    NamedComm const comm(merged, name + "_m" + std::to_string(i + 2));
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, merged);
    test.expect(comm.name, "Bcast", {1, 0, comm.rank == 0 ? 0 : sizeof(int)});
    test.expect_communicator(comm.name, {{"size", std::to_string(test.ranks)}, {"freed", i == 1 ? "1" : "0"}});
    if (i > 1) break;
    MPI_Comm_free(&merged);
    test.expect(comm.name, "Comm_free", {1, 0, 0});
  }
  return test.finish();
}
