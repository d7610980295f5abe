// Collectives with MPI_IN_PLACE: a process contributes the bytes that it contributes without it, although different
// arguments are significant. Arguments that are not significant get values that would spoil the counts, or crash.
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int meaningless_count = 123456;
MPI_Datatype const meaningless_type = MPI_LONG_DOUBLE;

class Program {
 public:
  Program(ProfileTest& profile_test, NamedComm comm)
      : test_(profile_test), comm_(std::move(comm)), n_(static_cast<std::size_t>(comm_.size)) {}

  // The root's own block is in place; the other processes' arguments for the root are not significant.
  void rooted(int root, int count, MPI_Datatype type) {
    std::uint64_t const m = bytes(count, type);
    std::vector<char> all_room(n_ * room), own_room(room);
    void *const all = all_room.data(), *const own = own_room.data();
    std::vector<int> const counts = block_counts(count), places = block_places(count);
    int const mine = counts[static_cast<std::size_t>(comm_.rank)];
    std::uint64_t const my_block = bytes(mine, type);
    MPI_Request request;
    bool const is_root = comm_.rank == root;

    if (is_root) {
      MPI_Gather(MPI_IN_PLACE, meaningless_count, meaningless_type, all, count, type, root, comm_.handle);
      MPI_Igather(MPI_IN_PLACE, meaningless_count, meaningless_type, all, count, type, root, comm_.handle, &request);
    } else {
      MPI_Gather(own, count, type, nullptr, -meaningless_count, MPI_DATATYPE_NULL, root, comm_.handle);
      MPI_Igather(own, count, type, nullptr, -meaningless_count, MPI_DATATYPE_NULL, root, comm_.handle, &request);
    }
    both("Gather", request, m, 0);

    if (is_root) {
      MPI_Gatherv(MPI_IN_PLACE, meaningless_count, meaningless_type, all, counts.data(), places.data(), type, root,
                  comm_.handle);
      MPI_Igatherv(MPI_IN_PLACE, meaningless_count, meaningless_type, all, counts.data(), places.data(), type, root,
                   comm_.handle, &request);
    } else {
      MPI_Gatherv(own, mine, type, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, root, comm_.handle);
      MPI_Igatherv(own, mine, type, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, root, comm_.handle, &request);
    }
    both("Gatherv", request, my_block, 0);

    if (is_root) {
      MPI_Scatter(all, count, type, MPI_IN_PLACE, meaningless_count, meaningless_type, root, comm_.handle);
      MPI_Iscatter(all, count, type, MPI_IN_PLACE, meaningless_count, meaningless_type, root, comm_.handle, &request);
    } else {
      MPI_Scatter(nullptr, -meaningless_count, MPI_DATATYPE_NULL, own, count, type, root, comm_.handle);
      MPI_Iscatter(nullptr, -meaningless_count, MPI_DATATYPE_NULL, own, count, type, root, comm_.handle, &request);
    }
    both("Scatter", request, 0, m);

    if (is_root) {
      MPI_Scatterv(all, counts.data(), places.data(), type, MPI_IN_PLACE, meaningless_count, meaningless_type, root,
                   comm_.handle);
      MPI_Iscatterv(all, counts.data(), places.data(), type, MPI_IN_PLACE, meaningless_count, meaningless_type, root,
                    comm_.handle, &request);
    } else {
      MPI_Scatterv(nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, own, mine, type, root, comm_.handle);
      MPI_Iscatterv(nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, own, mine, type, root, comm_.handle, &request);
    }
    both("Scatterv", request, 0, my_block);
  }

  void everywhere(int count, MPI_Datatype type) {
    std::uint64_t const m = bytes(count, type);
    std::vector<char> all_room(n_ * room);
    void* const all = all_room.data();
    std::vector<int> const counts = block_counts(count), places = block_places(count);
    std::vector<int> const same(n_, count), zeros(n_, 0);
    MPI_Request request;

    MPI_Allgather(MPI_IN_PLACE, meaningless_count, meaningless_type, all, count, type, comm_.handle);
    MPI_Iallgather(MPI_IN_PLACE, meaningless_count, meaningless_type, all, count, type, comm_.handle, &request);
    both("Allgather", request, m, 0);

    MPI_Allgatherv(MPI_IN_PLACE, meaningless_count, meaningless_type, all, counts.data(), places.data(), type,
                   comm_.handle);
    MPI_Iallgatherv(MPI_IN_PLACE, meaningless_count, meaningless_type, all, counts.data(), places.data(), type,
                    comm_.handle, &request);
    both("Allgatherv", request, bytes(counts[static_cast<std::size_t>(comm_.rank)], type), 0);

    MPI_Alltoall(MPI_IN_PLACE, meaningless_count, meaningless_type, all, count, type, comm_.handle);
    MPI_Ialltoall(MPI_IN_PLACE, meaningless_count, meaningless_type, all, count, type, comm_.handle, &request);
    both("Alltoall", request, n_ * m, 0);

    // With MPI_IN_PLACE, as much goes to a process as comes from it.
    std::vector<int> even_places = zeros;
    for (std::size_t i = 0; i < n_; ++i) even_places[i] = static_cast<int>(i) * count;
    MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, all, same.data(), even_places.data(), type,
                  comm_.handle);
    MPI_Ialltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, all, same.data(), even_places.data(), type,
                   comm_.handle, &request);
    both("Alltoallv", request, n_ * m, 0);

    std::vector<int> byte_places(n_);
    for (std::size_t i = 0; i < n_; ++i) byte_places[i] = static_cast<int>(i * room);
    std::vector<MPI_Datatype> const types(n_, type);
    MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, all, same.data(), byte_places.data(), types.data(),
                  comm_.handle);
    MPI_Ialltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, all, same.data(), byte_places.data(), types.data(),
                   comm_.handle, &request);
    both("Alltoallw", request, n_ * m, 0);
  }

  // Reductions, on pairs of a double and an int: 12 bytes of data every 16.
  void reductions(int root, int count) {
    MPI_Datatype const type = MPI_DOUBLE_INT;
    std::uint64_t const m = bytes(count, type);
    std::vector<char> all_room(n_ * room), own_room(room);
    void *const all = all_room.data(), *const own = own_room.data();
    std::vector<int> const counts = block_counts(count);
    bool const is_last = comm_.rank + 1 == comm_.size;
    MPI_Request request;

    if (comm_.rank == root) {
      MPI_Reduce(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, root, comm_.handle);
      MPI_Ireduce(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, root, comm_.handle, &request);
    } else {
      MPI_Reduce(own, nullptr, count, type, MPI_MAXLOC, root, comm_.handle);
      MPI_Ireduce(own, nullptr, count, type, MPI_MAXLOC, root, comm_.handle, &request);
    }
    both("Reduce", request, m, 0);

    MPI_Allreduce(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, comm_.handle);
    MPI_Iallreduce(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, comm_.handle, &request);
    both("Allreduce", request, m, 0);

    MPI_Reduce_scatter_block(MPI_IN_PLACE, all, count, type, MPI_MAXLOC, comm_.handle);
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, all, count, type, MPI_MAXLOC, comm_.handle, &request);
    both("Reduce_scatter_block", request, 0, m);

    MPI_Reduce_scatter(MPI_IN_PLACE, all, counts.data(), type, MPI_MAXLOC, comm_.handle);
    MPI_Ireduce_scatter(MPI_IN_PLACE, all, counts.data(), type, MPI_MAXLOC, comm_.handle, &request);
    both("Reduce_scatter", request, 0, bytes(counts[static_cast<std::size_t>(comm_.rank)], type));

    MPI_Scan(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, comm_.handle);
    MPI_Iscan(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, comm_.handle, &request);
    both("Scan", request, is_last ? 0 : m, 0);

    MPI_Exscan(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, comm_.handle);
    MPI_Iexscan(MPI_IN_PLACE, own, count, type, MPI_MAXLOC, comm_.handle, &request);
    both("Exscan", request, is_last ? 0 : m, 0);
  }

 private:
  static constexpr std::size_t room = 1024;  // for one block, with all its gaps

  // Blocks of count, count + 1, … elements, one after the other.
  std::vector<int> block_counts(int count) const {
    std::vector<int> counts(n_);
    for (std::size_t i = 0; i < n_; ++i) counts[i] = count + static_cast<int>(i);
    return counts;
  }
  std::vector<int> block_places(int count) const {
    std::vector<int> places(n_);
    for (std::size_t i = 1; i < n_; ++i) places[i] = places[i - 1] + count + static_cast<int>(i) - 1;
    return places;
  }

  // Expects these volumes of the blocking and of the nonblocking form.
  void both(std::string op, MPI_Request request, std::uint64_t sent, std::uint64_t received) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    test_.expect(comm_.name, "Wait", {1, 0, 0});
    test_.expect(comm_.name, op, {1, sent, received});
    op[0] = static_cast<char>(op[0] - 'A' + 'a');
    test_.expect(comm_.name, "I" + op, {1, sent, received});
  }

  ProfileTest& test_;
  NamedComm comm_;
  std::size_t n_;
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Datatype gaps;  // 2 of every 5 ints: 3 blocks, 24 bytes
  MPI_Type_vector(3, 2, 5, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});

  for (NamedComm const& comm :
       {NamedComm(MPI_COMM_WORLD, "W"), NamedComm(reversed, "W_s1.0"), NamedComm(MPI_COMM_SELF, "SELF")}) {
    Program program(test, comm);
    for (MPI_Datatype const type : {MPI_DOUBLE, gaps}) {
      program.rooted(0, 3, type);
      program.everywhere(3, type);
    }
    program.rooted(comm.size - 1, 2, gaps);
    program.reductions(comm.size - 1, 5);
  }
  MPI_Type_free(&gaps);
  return test.finish();
}
