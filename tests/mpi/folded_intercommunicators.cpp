// Intercommunicators that share a record: volumes depend on the groups of each one, which the record does not have.
// COMMPROF_MAX_COMMS=1 folds all but the first.
#include <vector>

#include "profile_test.hpp"

using profile_test::ProfileTest;
using profile_test::ranks_in_name;

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  bool const is_odd = test.rank % 2 == 1;
  int const remote_size = is_odd ? (test.ranks + 1) / 2 : test.ranks / 2;
  constexpr int count = 3, made = 4;
  auto const bytes = count * sizeof(int);
  for (char const* const op : {"Comm_split", "Intercomm_create", "Comm_free"}) test.ignore(op);

  std::string const groups = ranks_in_name(0, test.ranks, 2) + "." + ranks_in_name(1, test.ranks, 2);

  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, is_odd ? 1 : 0, test.rank, &half);
  for (int i = 1; i <= made; ++i) {
    MPI_Comm both;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_odd ? 0 : 1, 9, &both);
    std::string const name = i == 1 ? "W_i1." + groups + ".t9" : "W_i*";
    std::vector<int> out(static_cast<std::size_t>(count * remote_size)), in(out.size());

    MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, both);
    test.expect(name, "Alltoall", {1, static_cast<std::uint64_t>(remote_size) * bytes, 0});

    // From the first even process to the odd ones.
    MPI_Bcast(out.data(), count, MPI_INT, is_odd ? 0 : test.rank == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
    test.expect(name, "Bcast", {1, 0, is_odd ? bytes : 0});
    // From the odd ones to the first even process.
    MPI_Reduce(out.data(), in.data(), count, MPI_INT, MPI_SUM,
               is_odd           ? 0
               : test.rank == 0 ? MPI_ROOT
                                : MPI_PROC_NULL,
               both);
    test.expect(name, "Reduce", {1, is_odd ? bytes : 0, 0});

    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < remote_size; ++peer) {
      MPI_Irecv(in.data() + count * peer, count, MPI_INT, peer, 1, both, &requests.emplace_back());
      MPI_Isend(out.data(), count, MPI_INT, peer, 1, both, &requests.emplace_back());
      test.expect(name, "Irecv", {1, 0, bytes});
      test.expect(name, "Isend", {1, bytes, 0});
      test.expect_sent(name, 2 * peer + (is_odd ? 0 : 1), {1, bytes});
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    test.expect(name, "Waitall", {1, 0, 0});

    // Communicators created from a folded one are folded, too, on both sides.
    MPI_Comm merged;
    MPI_Intercomm_merge(both, is_odd ? 1 : 0, &merged);
    test.expect(name, "Intercomm_merge", {1, 0, 0});
    MPI_Barrier(merged);
    test.expect(i == 1 ? name + "_m1" : "W_m*", "Barrier", {1, 0, 0});
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
  }
  MPI_Comm_free(&half);
  test.expect_folded("communicators",
                     static_cast<std::uint64_t>(2 * (made - 1)) * static_cast<std::uint64_t>(test.ranks));
  return test.finish();
}
