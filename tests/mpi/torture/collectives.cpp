#include <algorithm>
#include <functional>
#include <numeric>

#include "data.hpp"
#include "run.hpp"

namespace torture {

namespace {

// Places in the table of calls.
constexpr int reduce = 6, allreduce = 7, for_intercommunicators = 8, reduce_scatter = 13, exscan = 16;
constexpr int without_neighbors = 17, all_kinds = 22;

struct Plan {
  int kind;
  Data data;  // count: of a block; of rank 0's block if blocks differ
  int root;
  bool is_nonblocking, is_in_place;
};

// The buffers that a call reads and writes until it is complete.
struct Arguments {
  std::vector<char> out, in;
  std::vector<int> counts, places, to, to_places, byte_places;
  std::vector<MPI_Aint> byte_places_of_neighbors;
  std::vector<MPI_Datatype> types;
};

class Collective {
 public:
  Collective(Comm const& comm, int me, Plan const& plan, MPI_Datatype type)
      : comm_(comm.handle),
        plan_(plan),
        type_(type),
        rank_(comm.rank_of(me)),
        size_(static_cast<int>(comm.peers_of(me).size())) {
    if (comm.is_inter()) {
      // The root is one of the first group.
      root_ = comm.side_of(me) != 0 ? plan.root : rank_ == plan.root ? MPI_ROOT : MPI_PROC_NULL;
    } else {
      root_ = plan.root;
      is_root_ = rank_ == root_;
      is_in_place_ = plan.is_in_place;
    }
    if (!comm.neighbours.empty()) slots_ = static_cast<int>(comm.neighbours[static_cast<std::size_t>(rank_)].size());
    describe_blocks();
  }

  std::shared_ptr<Arguments> kept() const { return arguments_; }

  void call(MPI_Request* request) {
    int const n = plan_.data.count;
    auto const mine = static_cast<std::size_t>(rank_);
    auto& [out_room, in_room, counts, places, to, to_places, byte_places, neighbor_places, types] = *arguments_;
    void *const out = out_room.data(), *const in = in_room.data();
    // With MPI_IN_PLACE, a count is not significant.
    int const given_at_root = is_root_ && is_in_place_ ? 0 : n;
    void *const out_at_root = is_root_ ? in_place(out) : out, *const in_at_root = is_root_ ? in_place(in) : in;
    // In its blocking or its nonblocking form.
#define ONE(name, iname, ...) [&] { request == nullptr ? MPI_##name(__VA_ARGS__) : MPI_##iname(__VA_ARGS__, request); }
    std::function<void()> const calls[] = {
        ONE(Barrier, Ibarrier, comm_),
        ONE(Bcast, Ibcast, out, n, type_, root_, comm_),
        ONE(Gather, Igather, out_at_root, given_at_root, type_, in, n, type_, root_, comm_),
        ONE(Scatter, Iscatter, out, n, type_, in_at_root, given_at_root, type_, root_, comm_),
        ONE(Allgather, Iallgather, in_place(out), is_in_place_ ? 0 : n, type_, in, n, type_, comm_),
        ONE(Alltoall, Ialltoall, in_place(out), is_in_place_ ? 0 : n, type_, in, n, type_, comm_),
        // With MPI_IN_PLACE, the root's data are in the result's buffer.
        ONE(Reduce, Ireduce, out_at_root, in, n, type_, MPI_MAX, root_, comm_),
        ONE(Allreduce, Iallreduce, in_place(out), in, n, type_, MPI_SUM, comm_),
        // From here on not on intercommunicators.
        ONE(Gatherv, Igatherv, out_at_root, counts[mine], type_, in, counts.data(), places.data(), type_, root_, comm_),
        ONE(Scatterv, Iscatterv, out, counts.data(), places.data(), type_, in_at_root, counts[mine], type_, root_,
            comm_),
        ONE(Allgatherv, Iallgatherv, in_place(out), counts[mine], type_, in, counts.data(), places.data(), type_,
            comm_),
        ONE(Alltoallv, Ialltoallv, in_place(out), to.data(), to_places.data(), type_, in, to.data(), to_places.data(),
            type_, comm_),
        ONE(Alltoallw, Ialltoallw, in_place(out), to.data(), byte_places.data(), types.data(), in, to.data(),
            byte_places.data(), types.data(), comm_),
        ONE(Reduce_scatter, Ireduce_scatter, in_place(out), in, counts.data(), type_, MPI_SUM, comm_),
        ONE(Reduce_scatter_block, Ireduce_scatter_block, in_place(out), in, n, type_, MPI_SUM, comm_),
        ONE(Scan, Iscan, in_place(out), in, n, type_, MPI_SUM, comm_),
        ONE(Exscan, Iexscan, in_place(out), in, n, type_, MPI_SUM, comm_),
        // Among neighbours.
        ONE(Neighbor_allgather, Ineighbor_allgather, out, n, type_, in, n, type_, comm_),
        ONE(Neighbor_allgatherv, Ineighbor_allgatherv, out, n, type_, in, counts.data(), places.data(), type_, comm_),
        ONE(Neighbor_alltoall, Ineighbor_alltoall, out, n, type_, in, n, type_, comm_),
        ONE(Neighbor_alltoallv, Ineighbor_alltoallv, out, counts.data(), places.data(), type_, in, counts.data(),
            places.data(), type_, comm_),
        ONE(Neighbor_alltoallw, Ineighbor_alltoallw, out, counts.data(), neighbor_places.data(), types.data(), in,
            counts.data(), neighbor_places.data(), types.data(), comm_),
    };
#undef ONE
    calls[plan_.kind]();
  }

 private:
  bool is_neighbor() const { return plan_.kind >= without_neighbors; }
  void* in_place(void* out) const { return is_in_place_ ? MPI_IN_PLACE : out; }

  // Process i holds a block of i elements more than process 0; processes i and j exchange i + j more. Blocks of
  // neighbours are all of one size.
  void describe_blocks() {
    constexpr int extent = 24;  // of any datatype, at most
    int const n = plan_.data.count, blocks = is_neighbor() ? slots_ : size_;
    auto& arguments = *arguments_;
    for (int i = 0; i < std::max(blocks, rank_ + 1); ++i) {
      arguments.counts.push_back(is_neighbor() ? n : n + i);
      arguments.places.push_back(i * (n + blocks));
      arguments.types.push_back(type_);
      arguments.byte_places_of_neighbors.push_back(static_cast<MPI_Aint>(i) * n * extent);
    }
    for (int i = 0; i < size_; ++i) {
      arguments.to.push_back(n + i + rank_);
      arguments.to_places.push_back(i * (n + 2 * size_));
      arguments.byte_places.push_back(i * (n + 2 * size_) * extent);
    }
    // Open MPI 4.1.4 reads the types of as many neighbours as there are in MPI_Ialltoallw, too, if there is a topology.
    arguments.types.resize(static_cast<std::size_t>(std::max({blocks, slots_, size_, rank_ + 1})), type_);
    auto const most = static_cast<std::size_t>((std::max(blocks, size_) + 1) * (n + 2 * size_ + blocks + 1) * extent);
    arguments.out.resize(most);
    arguments.in.resize(most);
    if (plan_.kind != reduce_scatter) return;
    // The blocks of all processes are adjacent.
    std::exclusive_scan(arguments.counts.begin(), arguments.counts.end(), arguments.places.begin(), 0);
  }

  MPI_Comm comm_;
  Plan const& plan_;
  MPI_Datatype type_;
  int rank_, size_;
  int root_ = 0;
  bool is_root_ = false, is_in_place_ = false;  // of an intracommunicator
  int slots_ = 0;                               // blocks for neighbours
  std::shared_ptr<Arguments> arguments_ = std::make_shared<Arguments>();
};

bool is_reduction(int kind) {
  return kind == reduce || kind == allreduce || (kind >= reduce_scatter && kind <= exscan);
}

Plan draw(Random& plan, Comm const& comm) {
  Plan drawn{};
  int const kinds = comm.is_inter() ? for_intercommunicators : without_neighbors;
  drawn.kind = plan.below(kinds);
  if (!comm.neighbours.empty() && plan.one_in(2)) drawn.kind = plan.between(without_neighbors, all_kinds - 1);
  drawn.is_nonblocking = plan.one_in(2);
  drawn.is_in_place = plan.one_in(3);
  drawn.root = plan.below(static_cast<int>(comm.groups[0].size()));
  // Open MPI 4.1.4 does not keep a derived datatype that a nonblocking collective still uses.
  drawn.data = Data::draw(plan, drawn.is_nonblocking ? Datatype::predefined_kinds : Datatype::kinds);
  drawn.data.count = drawn.data.count % 50;
  if (is_reduction(drawn.kind)) drawn.data.kind = plan.one_in(2) ? Datatype::Kind::integer : Datatype::Kind::real;
  return drawn;
}

}  // namespace

void collective(Run& run, Comm& comm) {
  Plan const plan = draw(run.plan, comm);
  if (!comm.has(run.me)) return;
  run.requests.reserve(1);
  MPI_Request* const request = plan.is_nonblocking ? run.requests.variable() : nullptr;
  Datatype const type(plan.data.kind);
  Collective what(comm, run.me, plan, type);
  what.call(request);
  if (plan.is_nonblocking) run.requests.put(request, {.comm = comm.name, .kept = what.kept(), .is_collective = true});
}

}  // namespace torture
