// Each collective against the volumes of the mpisee paper's appendix, at several sizes and roots, blocking and
// nonblocking.
//
// The appendix gives the total over the communicator; what each process adds to it is stated here beside the call.
#include <numeric>
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::Counts;
using profile_test::ProfileTest;

namespace {

struct Program {
  ProfileTest& test;
  MPI_Comm comm;
  std::string name;
  int rank = 0;
  int size = 0;

  Program(ProfileTest& profile_test, MPI_Comm communicator, std::string name_in_profile)
      : test(profile_test), comm(communicator), name(std::move(name_in_profile)) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }

  // The blocking and the nonblocking form of an operation move the same bytes.
  void expect(std::string const& op, std::uint64_t sent, std::uint64_t received) {
    std::string nonblocking = "I" + op;
    nonblocking[1] = static_cast<char>(nonblocking[1] - 'A' + 'a');
    test.expect(name, op, {1, sent, received});
    test.expect(name, nonblocking, {1, sent, received});
    test.expect(name, "Wait", {1, 0, 0});
  }
  static void wait(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

  void run(int count, int root) {
    MPI_Request request;
    auto const n = static_cast<std::size_t>(size);
    auto const block = static_cast<std::size_t>(count);
    std::vector<double> one(block + 1), other(block + 1), all(n * block + 1), all_others(n * block + 1);
    std::uint64_t const m = bytes(count, MPI_DOUBLE);

    MPI_Bcast(one.data(), count, MPI_DOUBLE, root, comm);
    MPI_Ibcast(one.data(), count, MPI_DOUBLE, root, comm, &request);
    wait(request);
    expect("Bcast", 0, rank == root ? 0 : m);  // in all (p - 1) m

    MPI_Gather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root, comm);
    MPI_Igather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root, comm, &request);
    wait(request);
    expect("Gather", m, 0);  // p m

    MPI_Scatter(all.data(), count, MPI_DOUBLE, one.data(), count, MPI_DOUBLE, root, comm);
    MPI_Iscatter(all.data(), count, MPI_DOUBLE, one.data(), count, MPI_DOUBLE, root, comm, &request);
    wait(request);
    expect("Scatter", 0, m);  // p m

    MPI_Allgather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, comm);
    MPI_Iallgather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, comm, &request);
    wait(request);
    expect("Allgather", m, 0);  // p m

    MPI_Alltoall(all.data(), count, MPI_DOUBLE, all_others.data(), count, MPI_DOUBLE, comm);
    MPI_Ialltoall(all.data(), count, MPI_DOUBLE, all_others.data(), count, MPI_DOUBLE, comm, &request);
    wait(request);
    expect("Alltoall", n * m, 0);  // p p m

    MPI_Reduce(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, root, comm);
    MPI_Ireduce(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, root, comm, &request);
    wait(request);
    expect("Reduce", m, 0);  // p m

    MPI_Allreduce(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Iallreduce(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, comm, &request);
    wait(request);
    expect("Allreduce", m, 0);  // p m

    MPI_Reduce_scatter_block(all.data(), one.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Ireduce_scatter_block(all.data(), one.data(), count, MPI_DOUBLE, MPI_SUM, comm, &request);
    wait(request);
    expect("Reduce_scatter_block", 0, m);  // p m

    bool const is_last = rank == size - 1;
    MPI_Scan(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Iscan(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, comm, &request);
    wait(request);
    expect("Scan", is_last ? 0 : m, 0);  // (p - 1) m

    MPI_Exscan(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Iexscan(one.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, comm, &request);
    wait(request);
    expect("Exscan", is_last ? 0 : m, 0);  // (p - 1) m

    MPI_Barrier(comm);
    MPI_Ibarrier(comm, &request);
    wait(request);
    expect("Barrier", 0, 0);
  }

  // Process i holds a block of i + count elements; in Alltoallv it sends i + j + count to process j.
  void run_irregular(int count, int root) {
    MPI_Request request;
    auto const n = static_cast<std::size_t>(size);
    std::vector<int> counts(n), displacements(n), to(n), from(n), to_displacements(n);
    for (std::size_t i = 0; i < n; ++i) {
      counts[i] = static_cast<int>(i) + count;
      to[i] = rank + static_cast<int>(i) + count;
    }
    from = to;
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
    std::exclusive_scan(to.begin(), to.end(), to_displacements.begin(), 0);
    int const total = std::accumulate(counts.begin(), counts.end(), 0);
    int const total_to = std::accumulate(to.begin(), to.end(), 0);
    int const mine = counts[static_cast<std::size_t>(rank)];
    std::vector<int> one(static_cast<std::size_t>(mine)), all(static_cast<std::size_t>(total));
    std::vector<int> out(static_cast<std::size_t>(total_to)), in(static_cast<std::size_t>(total_to));
    std::uint64_t const m = bytes(mine, MPI_INT);

    MPI_Gatherv(one.data(), mine, MPI_INT, all.data(), counts.data(), displacements.data(), MPI_INT, root, comm);
    MPI_Igatherv(one.data(), mine, MPI_INT, all.data(), counts.data(), displacements.data(), MPI_INT, root, comm,
                 &request);
    wait(request);
    expect("Gatherv", m, 0);  // sum of m_i

    MPI_Scatterv(all.data(), counts.data(), displacements.data(), MPI_INT, one.data(), mine, MPI_INT, root, comm);
    MPI_Iscatterv(all.data(), counts.data(), displacements.data(), MPI_INT, one.data(), mine, MPI_INT, root, comm,
                  &request);
    wait(request);
    expect("Scatterv", 0, m);  // sum of m_i

    MPI_Allgatherv(one.data(), mine, MPI_INT, all.data(), counts.data(), displacements.data(), MPI_INT, comm);
    MPI_Iallgatherv(one.data(), mine, MPI_INT, all.data(), counts.data(), displacements.data(), MPI_INT, comm,
                    &request);
    wait(request);
    expect("Allgatherv", m, 0);  // sum of m_i

    std::vector<int> scattered(static_cast<std::size_t>(mine));
    MPI_Reduce_scatter(all.data(), scattered.data(), counts.data(), MPI_INT, MPI_SUM, comm);
    MPI_Ireduce_scatter(all.data(), scattered.data(), counts.data(), MPI_INT, MPI_SUM, comm, &request);
    wait(request);
    expect("Reduce_scatter", 0, m);  // sum of m_i

    MPI_Alltoallv(out.data(), to.data(), to_displacements.data(), MPI_INT, in.data(), from.data(),
                  to_displacements.data(), MPI_INT, comm);
    MPI_Ialltoallv(out.data(), to.data(), to_displacements.data(), MPI_INT, in.data(), from.data(),
                   to_displacements.data(), MPI_INT, comm, &request);
    wait(request);
    expect("Alltoallv", bytes(total_to, MPI_INT), 0);  // sum of m_i^j

    std::vector<MPI_Datatype> types(n, MPI_INT);
    std::vector<int> byte_displacements(to_displacements);
    for (int& displacement : byte_displacements) displacement *= static_cast<int>(sizeof(int));
    MPI_Alltoallw(out.data(), to.data(), byte_displacements.data(), types.data(), in.data(), from.data(),
                  byte_displacements.data(), types.data(), comm);
    MPI_Ialltoallw(out.data(), to.data(), byte_displacements.data(), types.data(), in.data(), from.data(),
                   byte_displacements.data(), types.data(), comm, &request);
    wait(request);
    expect("Alltoallw", bytes(total_to, MPI_INT), 0);  // sum of m_i^j
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);

  MPI_Comm reversed;  // ranks in a communicator differ from those in the world
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});

  for (auto const& [comm, name] : {std::pair<MPI_Comm, std::string>{MPI_COMM_WORLD, "W"}, {reversed, "W_s1.0"}}) {
    Program program(test, comm, name);
    for (int const root : {0, program.size - 1}) {
      for (int const count : {0, 1, 3, 1000}) {
        program.run(count, root);
        program.run_irregular(count, root);
      }
    }
  }
  return test.finish();
}
