// Persistent collectives, including neighborhood collectives: each start counts with the bytes of its collective.
#include <string>
#include <vector>

#include "profile_test.hpp"

// Open MPI 4.1.4 has them under the names from before the standard.
#ifdef MPI_SESSION_NULL  // MPI 4.0, and Open MPI 5.0, which calls itself 3.1
#define INIT(name) MPI_##name##_init
#else
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#endif

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int starts = 3;
constexpr int block = 5;

class Program {
 public:
  Program(ProfileTest& test, NamedComm comm)
      : test_(test), comm_(std::move(comm)), to_(out_.data()), from_(in_.data()) {
    // Process i has a block of i + 1 elements; processes i and j exchange a block of i + j + 1 elements.
    int place = 0;
    for (int i = 0; i < comm_.size; ++i) {
      own_counts_.push_back(i + 1);
      own_places_.push_back(i * (i + 1) / 2);
      pair_counts_.push_back(comm_.rank + i + 1);
      pair_places_.push_back(place);
      place += pair_counts_.back();
      pair_byte_places_.push_back(pair_places_.back() * static_cast<int>(sizeof(int)));
    }
    types_.assign(static_cast<std::size_t>(comm_.size) + 1, MPI_INT);
    own_ = bytes(comm_.rank + 1, MPI_INT);
    pairs_ = bytes(place, MPI_INT);
  }

  void collectives() {
    MPI_Comm const comm = comm_.handle;
    bool const is_root = comm_.rank == 0, is_last = comm_.rank == comm_.size - 1;
    std::uint64_t const m = bytes(block, MPI_INT), n = static_cast<std::uint64_t>(comm_.size);
    int const *const own = own_counts_.data(), *const at = own_places_.data();
    int const *const pairs = pair_counts_.data(), *const pairs_at = pair_places_.data();
    int const* const pairs_at_byte = pair_byte_places_.data();
    MPI_Info const info = MPI_INFO_NULL;
    MPI_Request r;
    INIT(Barrier)(comm, info, &r), use("Barrier", r, 0, 0);
    INIT(Bcast)(to_, block, MPI_INT, 0, comm, info, &r), use("Bcast", r, 0, is_root ? 0 : m);
    if (can_start_trees()) {
      INIT(Gather)(to_, block, MPI_INT, from_, block, MPI_INT, 0, comm, info, &r), use("Gather", r, m, 0);
      INIT(Scatter)(to_, block, MPI_INT, from_, block, MPI_INT, 0, comm, info, &r), use("Scatter", r, 0, m);
    }
    INIT(Gatherv)(to_, comm_.rank + 1, MPI_INT, from_, own, at, MPI_INT, 0, comm, info, &r), use("Gatherv", r, own_, 0);
    INIT(Scatterv)
    (to_, own, at, MPI_INT, from_, comm_.rank + 1, MPI_INT, 0, comm, info, &r), use("Scatterv", r, 0, own_);
    INIT(Allgather)(to_, block, MPI_INT, from_, block, MPI_INT, comm, info, &r), use("Allgather", r, m, 0);
    INIT(Allgatherv)
    (to_, comm_.rank + 1, MPI_INT, from_, own, at, MPI_INT, comm, info, &r), use("Allgatherv", r, own_, 0);
    INIT(Alltoall)(to_, block, MPI_INT, from_, block, MPI_INT, comm, info, &r), use("Alltoall", r, n * m, 0);
    INIT(Alltoallv)(to_, pairs, pairs_at, MPI_INT, from_, pairs, pairs_at, MPI_INT, comm, info, &r);
    use("Alltoallv", r, pairs_, 0);
    INIT(Alltoallw)
    (to_, pairs, pairs_at_byte, types_.data(), from_, pairs, pairs_at_byte, types_.data(), comm, info, &r);
    use("Alltoallw", r, pairs_, 0);
    INIT(Reduce)(to_, from_, block, MPI_INT, MPI_SUM, 0, comm, info, &r), use("Reduce", r, m, 0);
    INIT(Allreduce)(to_, from_, block, MPI_INT, MPI_SUM, comm, info, &r), use("Allreduce", r, m, 0);
    INIT(Reduce_scatter)(to_, from_, own, MPI_INT, MPI_SUM, comm, info, &r), use("Reduce_scatter", r, 0, own_);
    INIT(Reduce_scatter_block)
    (to_, from_, block, MPI_INT, MPI_SUM, comm, info, &r), use("Reduce_scatter_block", r, 0, m);
    INIT(Scan)(to_, from_, block, MPI_INT, MPI_SUM, comm, info, &r), use("Scan", r, is_last ? 0 : m, 0);
    INIT(Exscan)(to_, from_, block, MPI_INT, MPI_SUM, comm, info, &r), use("Exscan", r, is_last ? 0 : m, 0);
  }

  // On a grid of one dimension: neighbours before and after, but none beyond its ends.
  void neighbours() {
    MPI_Comm const comm = comm_.handle;
    int const before = comm_.rank > 0 ? 1 : 0, after = comm_.rank < comm_.size - 1 ? 1 : 0;
    int const counts[] = {block, 2 * block}, mirrored[] = {2 * block, block}, places[] = {0, 2 * block};
    MPI_Aint const byte_places[] = {0, 2 * block * static_cast<MPI_Aint>(sizeof(int))};
    MPI_Datatype const types[] = {MPI_INT, MPI_INT};
    std::uint64_t const same = bytes((before + after) * block, MPI_INT),
                        own = bytes((before + 2 * after) * block, MPI_INT);
    MPI_Info const info = MPI_INFO_NULL;
    MPI_Request r;
    INIT(Neighbor_allgather)(to_, block, MPI_INT, from_, block, MPI_INT, comm, info, &r);
    use("Neighbor_allgather", r, same, 0);
    int const all_alike[] = {block, block};
    INIT(Neighbor_allgatherv)(to_, block, MPI_INT, from_, all_alike, places, MPI_INT, comm, info, &r);
    use("Neighbor_allgatherv", r, same, 0);
    INIT(Neighbor_alltoall)(to_, block, MPI_INT, from_, block, MPI_INT, comm, info, &r);
    use("Neighbor_alltoall", r, same, 0);
    INIT(Neighbor_alltoallv)(to_, counts, places, MPI_INT, from_, mirrored, places, MPI_INT, comm, info, &r);
    use("Neighbor_alltoallv", r, own, 0);
    INIT(Neighbor_alltoallw)(to_, counts, byte_places, types, from_, mirrored, byte_places, types, comm, info, &r);
    use("Neighbor_alltoallw", r, own, 0);
  }

  // Starts several in one call.
  void at_once() {
    std::uint64_t const m = bytes(block, MPI_INT);
    MPI_Request requests[2];
    INIT(Allreduce)(to_, from_, block, MPI_INT, MPI_SUM, comm_.handle, MPI_INFO_NULL, &requests[0]);
    INIT(Bcast)(from_ + block, block, MPI_INT, 0, comm_.handle, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    test_.expect(comm_.name, "Allreduce_init", {1, 0, 0});
    test_.expect(comm_.name, "Bcast_init", {1, 0, 0});
    test_.expect(comm_.name, "Startall", {1, m, comm_.rank == 0 ? 0 : m});
    test_.expect(comm_.name, "Waitall", {1, 0, 0});
    test_.expect(comm_.name, "Request_free", {2, 0, 0});
  }

 private:
  // MPICH 4.0.2 aborts in persistent gathers and scatters over a tree with inner nodes, "Invalid communicator".
  bool can_start_trees() const {
#ifdef MPICH_VERSION
    return comm_.size <= 2;
#else
    return true;
#endif
  }

  void use(std::string const& collective, MPI_Request request, std::uint64_t sent, std::uint64_t received) {
    for (int i = 0; i < starts; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    test_.expect(comm_.name, collective + "_init", {1, 0, 0});
    test_.expect(comm_.name, "Start", {starts, starts * sent, starts * received});
    test_.expect(comm_.name, "Wait", {starts, 0, 0});
    test_.expect(comm_.name, "Request_free", {1, 0, 0});
  }

  ProfileTest& test_;
  NamedComm comm_;
  std::vector<int> out_ = std::vector<int>(1000), in_ = std::vector<int>(1000);
  int *to_, *from_;
  std::vector<int> own_counts_, own_places_, pair_counts_, pair_places_, pair_byte_places_;
  std::vector<MPI_Datatype> types_;
  std::uint64_t own_ = 0, pairs_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  int const size = test.ranks, period = 0;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &grid);
  test.expect("W", "Cart_create", {1, 0, 0});
  Program program(test, {grid, "W_a1"});
  program.collectives();
  program.neighbours();
  program.at_once();
  return test.finish();
}
