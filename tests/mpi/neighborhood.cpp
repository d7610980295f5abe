// Neighborhood collectives: each process sends a block to each of its out-neighbours that exists.
//
// Where blocks may differ, process i and j exchange i + j elements more than the count; their neighbours are stated
// with each topology.
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

// The neighbours, in the order of the send and the receive arrays; MPI_PROC_NULL beyond the ends of a grid.
struct Neighbours {
  std::vector<int> out, in;
};

// MPICH 4.0.2 reads beyond its own copies of these arguments if a process has more neighbours in one direction than in
// the other.
bool can_call_alltoallw([[maybe_unused]] Neighbours const& neighbours) {
#ifdef MPICH_VERSION
  return neighbours.out.size() == neighbours.in.size();
#else
  return true;
#endif
}

// The arguments of one side of a call with blocks of different sizes.
struct Blocks {
  std::vector<int> counts, places;
  std::vector<MPI_Aint> byte_places;
  std::vector<MPI_Datatype> types;
  std::uint64_t bytes_of_ints = 0, bytes_of_types = 0;

  Blocks(std::vector<int> const& neighbours, int rank, int count) {
    int place = 0;
    for (int const other : neighbours) {
      bool const exists = other != MPI_PROC_NULL;
      // A block for MPI_PROC_NULL also has a count, which must not be counted.
      counts.push_back(exists ? count + rank + other : 9999);
      types.push_back((exists ? rank + other : 0) % 2 == 0 ? MPI_INT : MPI_DOUBLE);
      places.push_back(place);
      byte_places.push_back(static_cast<MPI_Aint>(place) * static_cast<MPI_Aint>(sizeof(double)));
      if (!exists) continue;
      place += counts.back();
      bytes_of_ints += bytes(counts.back(), MPI_INT);
      bytes_of_types += bytes(counts.back(), types.back());
    }
    // Makes sure that the arrays exist.
    counts.push_back(0);
    places.push_back(0);
    byte_places.push_back(0);
    types.push_back(MPI_INT);
  }
  std::size_t elements() const { return bytes_of_ints / sizeof(int); }
};

class Program {
 public:
  Program(ProfileTest& profile_test, NamedComm comm, Neighbours neighbours)
      : test_(profile_test), comm_(std::move(comm)), neighbours_(std::move(neighbours)) {}

  void run(int count) {
    int degree = 0;
    for (int const other : neighbours_.out) degree += other != MPI_PROC_NULL ? 1 : 0;
    Blocks const to(neighbours_.out, comm_.rank, count), from(neighbours_.in, comm_.rank, count);
    auto const block = static_cast<std::size_t>(count + comm_.size);
    std::vector<double> out_room(to.elements() + block * (neighbours_.out.size() + 1));
    std::vector<double> in_room(from.elements() + block * (neighbours_.in.size() + 1));
    void *const out = out_room.data(), *const in = in_room.data();
    MPI_Comm const comm = comm_.handle;
    MPI_Request request;

    MPI_Neighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, comm);
    MPI_Ineighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, comm, &request);
    both("eighbor_allgather", request, bytes(degree * count, MPI_INT));

    MPI_Neighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
    MPI_Ineighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, comm, &request);
    both("eighbor_alltoall", request, bytes(degree * count, MPI_INT));

    // Process i gives i elements more than the count to all.
    int const mine = count + comm_.rank;
    std::vector<int> theirs = neighbours_.in, places;
    for (int& number : theirs) {
      places.push_back(static_cast<int>(places.size() * block));
      number = number == MPI_PROC_NULL ? 0 : count + number;
    }
    theirs.push_back(0);
    places.push_back(0);
    MPI_Neighbor_allgatherv(out, mine, MPI_INT, in, theirs.data(), places.data(), MPI_INT, comm);
    MPI_Ineighbor_allgatherv(out, mine, MPI_INT, in, theirs.data(), places.data(), MPI_INT, comm, &request);
    both("eighbor_allgatherv", request, bytes(degree * mine, MPI_INT));

    MPI_Neighbor_alltoallv(out, to.counts.data(), to.places.data(), MPI_INT, in, from.counts.data(), from.places.data(),
                           MPI_INT, comm);
    MPI_Ineighbor_alltoallv(out, to.counts.data(), to.places.data(), MPI_INT, in, from.counts.data(),
                            from.places.data(), MPI_INT, comm, &request);
    both("eighbor_alltoallv", request, to.bytes_of_ints);

    if (!everybody_can_call_alltoallw()) return;
    MPI_Neighbor_alltoallw(out, to.counts.data(), to.byte_places.data(), to.types.data(), in, from.counts.data(),
                           from.byte_places.data(), from.types.data(), comm);
    MPI_Ineighbor_alltoallw(out, to.counts.data(), to.byte_places.data(), to.types.data(), in, from.counts.data(),
                            from.byte_places.data(), from.types.data(), comm, &request);
    both("eighbor_alltoallw", request, to.bytes_of_types);
  }

 private:
  bool everybody_can_call_alltoallw() {
    int can = can_call_alltoallw(neighbours_) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, comm_.handle);
    test_.expect(comm_.name, "Allreduce", {1, sizeof(int), 0});
    return can != 0;
  }

  void both(std::string const& op, MPI_Request request, std::uint64_t sent) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    test_.expect(comm_.name, "N" + op, {1, sent, 0});
    test_.expect(comm_.name, "In" + op, {1, sent, 0});
    test_.expect(comm_.name, "Wait", {1, 0, 0});
  }

  ProfileTest& test_;
  NamedComm comm_;
  Neighbours neighbours_;
};

// Neighbours on a grid, whose last dimension varies fastest. On a line, inner processes have a neighbour on each side;
// on a ring all processes have two, which may be the process itself.
Neighbours on_grid(int rank, std::vector<int> const& dims, std::vector<int> const& periods) {
  std::vector<int> found(2 * dims.size());
  int stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) {
    int const place = rank / stride % dims[i], last = dims[i] - 1;
    bool const is_ring = periods[i] != 0;
    found[2 * i] = place > 0 ? rank - stride : is_ring ? rank + last * stride : MPI_PROC_NULL;
    found[2 * i + 1] = place < last ? rank + stride : is_ring ? rank - last * stride : MPI_PROC_NULL;
  }
  return {found, found};
}

void cartesian(ProfileTest& test, std::string const& name, std::vector<int> const& dims,
               std::vector<int> const& periods, std::string const& topology) {
  MPI_Comm cart, dup;
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &cart);
  test.expect("W", "Cart_create", {1, 0, 0});
  if (cart == MPI_COMM_NULL) return;
  Neighbours const neighbours = on_grid(NamedComm(cart, name).rank, dims, periods);
  Program program(test, {cart, name}, neighbours);
  program.run(3);
  program.run(0);
  test.expect_communicator(name, {{"topology", topology}, {"reorder", "0"}, {"created_by", "Cart_create"}});

  MPI_Comm_dup(cart, &dup);
  test.expect(name, "Comm_dup", {1, 0, 0});
  test.expect_communicator(name + "_d1", {{"topology", topology}, {"created_by", "Comm_dup"}});
  Program(test, {dup, name + "_d1"}, neighbours).run(2);
}

// Process 0 is the centre of a star: all others are its neighbours, and it is their only neighbour.
void star(ProfileTest& test, std::string const& name) {
  int const others = test.ranks - 1;
  std::vector<int> index{others}, edges;
  for (int i = 1; i <= others; ++i) edges.push_back(i);
  for (int i = 1; i <= others; ++i) {
    index.push_back(others + i);
    edges.push_back(0);
  }
  std::vector<int> const all_others = {edges.begin(), edges.begin() + others};
  edges.push_back(0);  // so that the array exists for one process
  MPI_Comm graph;
  MPI_Graph_create(MPI_COMM_WORLD, test.ranks, index.data(), edges.data(), 0, &graph);
  test.expect("W", "Graph_create", {1, 0, 0});
  std::vector<int> const neighbours = test.rank == 0 ? all_others : std::vector<int>{0};
  Program(test, {graph, name}, {neighbours, neighbours}).run(4);
  test.expect_communicator(name, {{"topology", "graph " + std::to_string(test.ranks)}, {"created_by", "Graph_create"}});
}

// Each process sends to all processes with lower ranks.
Neighbours in_triangle(int rank, int ranks) {
  Neighbours found;
  for (int i = 0; i < rank; ++i) found.out.push_back(i);
  for (int i = rank + 1; i < ranks; ++i) found.in.push_back(i);
  return found;
}

void triangle_adjacent(ProfileTest& test, std::string const& name) {
  auto const [out, in] = in_triangle(test.rank, test.ranks);
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(in.size()), in.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(out.size()), out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  test.expect("W", "Dist_graph_create_adjacent", {1, 0, 0});
  Program(test, {graph, name}, {out, in}).run(5);
  test.expect_communicator(name, {{"topology", "dist_graph"}, {"created_by", "Dist_graph_create_adjacent"}});
}

// A ring with as many edges from each process to the next as there are processes; each edge is declared by a process at
// neither end. MPI may order the neighbours in any way: here they are all the same.
void thick_ring(ProfileTest& test, std::string const& name) {
  int const source = (test.rank + 1) % test.ranks, degree = test.ranks;
  std::vector<int> const destinations(static_cast<std::size_t>(degree), (source + 1) % test.ranks);
  MPI_Comm graph;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                        &graph);
  test.expect("W", "Dist_graph_create", {1, 0, 0});
  NamedComm const comm(graph, name);
  std::vector<int> const right(static_cast<std::size_t>(degree), comm.right()), left(right.size(), comm.left());
  Program(test, comm, {right, left}).run(6);
  test.expect_communicator(name, {{"topology", "dist_graph"}, {"reorder", "1"}, {"created_by", "Dist_graph_create"}});
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  std::string const n = std::to_string(test.ranks), half = std::to_string(test.ranks / 2);
  cartesian(test, "W_a1", {test.ranks}, {1}, "cart " + n + " periods 1");
  cartesian(test, "W_a2", {test.ranks}, {0}, "cart " + n + " periods 0");
  cartesian(test, "W_a3", {1, test.ranks, 1}, {1, 0, 0}, "cart 1x" + n + "x1 periods 100");
  if (test.ranks >= 2) cartesian(test, "W_a4", {2, test.ranks / 2}, {0, 1}, "cart 2x" + half + " periods 01");
  else cartesian(test, "W_a4", {1}, {0}, "cart 1 periods 0");
  star(test, "W_r5");
  triangle_adjacent(test, "W_g6");
  thick_ring(test, "W_g7");
  return test.finish();
}
