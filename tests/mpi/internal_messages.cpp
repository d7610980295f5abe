// COMMPROF_INTERNAL=1: the messages of a collective are the edges of the algorithm that the MPI was told to use, on the
// right communicator and for the right operation, in whatever call they are sent.
//
// The expected messages are those of Open MPI 4.1's tuned collectives with the algorithms that the test's environment
// chooses (reduce: binary tree, or binomial tree in order; bcast: binomial tree; allreduce: recursive doubling;
// alltoall: linear), and of its nonblocking collectives below 64 KiB. Each step uses a size of its own, so that no
// message is taken for another's.
// clang-format off
#include <mpi.h>
#include <mpi-ext.h>  // needs mpi.h
// clang-format on

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "commprof/commprof.h"
#include "profile_test.hpp"

using profile_test::ProfileTest;
using profile_test::Row;

namespace {

struct Messages {
  std::uint64_t messages = 0, bytes = 0;
  friend bool operator==(Messages const&, Messages const&) = default;
};

constexpr int largest = 20'000;
std::vector<char> out(largest * 16), in(largest * 16);

int number(char const* variable, int otherwise) {
  char const* const value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

// A communicator of all processes, in the order of the world's ranks or the reverse.
struct Everyone {
  MPI_Comm comm;
  std::string name;
  int rank, size;
  bool is_reversed = false;

  int in_world(int other) const { return is_reversed ? size - 1 - other : other; }
};

using Trees = int(int rank);

// The parent in a binary tree, level by level from 0; on each level the first half of the children are first ones:
// 0 has 1 and 2, 1 has 3 and 5, 2 has 4 and 6.
int binary_parent(int rank) {
  int above = 1;  // processes on the level above
  while (2 * above * 2 - 1 <= rank) above *= 2;
  int const first_above = above - 1;
  return rank - above < first_above + above ? rank - above : rank - 2 * above;
}
// The parent in binomial trees: a subtree's ranks follow its root's, or they are those that end in the root's bits.
int binomial_parent_in_order(int rank) { return rank & (rank - 1); }
int binomial_parent(int rank) {
  int highest = 1;
  while (2 * highest <= rank) highest *= 2;
  return rank - highest;
}

class Edges {
 public:
  // This process expects this many messages to a process of the communicator.
  void expect(std::string const& region, Everyone const& on, std::string const& op, int dest, int bytes,
              int messages = 1) {
    Messages& sum = expected_[{region, on.name, op, on.in_world(dest)}];
    sum.messages += static_cast<std::uint64_t>(messages);
    sum.bytes += static_cast<std::uint64_t>(messages) * static_cast<std::uint64_t>(bytes);
  }
  void expect(Everyone const& on, std::string const& op, int dest, int bytes) { expect("main", on, op, dest, bytes); }

  // Down a tree from rank 0.
  void expect_down(Everyone const& on, std::string const& op, Trees parent, int bytes) {
    for (int child = 1; child < on.size; ++child)
      if (parent(child) == on.rank) expect(on, op, child, bytes);
  }
  void expect_up(Everyone const& on, std::string const& op, Trees parent, int bytes) {
    if (on.rank != 0) expect(on, op, parent(on.rank), bytes);
  }

  // loose: operations whose messages are not predicted.
  void compare(ProfileTest& test, std::set<std::string> const& loose) {
    std::map<Place, Messages> found;
    for (Row const& row : test.peers()) {
      if (row.at("class") != "internal" || row.at("src") != std::to_string(test.rank)) continue;
      if (loose.count(row.at("op")) != 0) continue;
      Messages& sum = found[{row.at("region"), row.at("comm"), row.at("op"), std::stoi(row.at("dst"))}];
      sum.messages += std::stoull(row.at("messages"));
      sum.bytes += std::stoull(row.at("bytes"));
    }
    for (auto const& [place, sum] : expected_) found.try_emplace(place);
    for (auto const& [place, sum] : found) {
      Messages const wanted = expected_[place];
      auto const& [region, comm, op, dest] = place;
      if (sum != wanted)
        test.fail(fmt::format("{} on {} in {} to {}: {} messages, {} bytes; expected {}, {}", op, comm, region, dest,
                              sum.messages, sum.bytes, wanted.messages, wanted.bytes));
    }
  }

 private:
  using Place = std::tuple<std::string, std::string, std::string, int>;  // region, communicator, operation, world rank
  std::map<Place, Messages> expected_;
};

void reduce(Edges& edges, Everyone const& on, int bytes) {
  MPI_Reduce(out.data(), in.data(), bytes, MPI_CHAR, MPI_MAX, 0, on.comm);
  if (on.rank == 0) return;
  bool const is_binary = number("OMPI_MCA_coll_tuned_reduce_algorithm", 0) == 4;
  int const parent = is_binary ? binary_parent(on.rank) : binomial_parent_in_order(on.rank);
  int const segment = number("OMPI_MCA_coll_tuned_reduce_algorithm_segmentsize", 0);
  int const whole = segment == 0 ? bytes : segment, rest = bytes % whole;
  edges.expect("tree", on, "Reduce", parent, whole, bytes / whole);
  if (rest != 0) edges.expect("tree", on, "Reduce", parent, rest);
}

void blocking(Edges& edges, Everyone const& on, int bytes) {
  MPI_Bcast(out.data(), bytes, MPI_CHAR, 0, on.comm);
  edges.expect_down(on, "Bcast", binomial_parent, bytes);
  MPI_Allreduce(out.data(), in.data(), bytes, MPI_CHAR, MPI_MAX, on.comm);
  for (int distance = 1; distance < on.size; distance *= 2) edges.expect(on, "Allreduce", on.rank ^ distance, bytes);
  MPI_Alltoall(out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, on.comm);
  for (int other = 0; other < on.size; ++other)
    if (other != on.rank) edges.expect(on, "Alltoall", other, bytes);
}

void expect_ibcast(Edges& edges, Everyone const& on, int bytes) {
  constexpr int largest_of_linear = 4;
  edges.expect_down(on, "Ibcast", on.size <= largest_of_linear ? [](int) { return 0; } : binomial_parent, bytes);
}
void expect_iallreduce(Edges& edges, Everyone const& on, std::string const& op, int bytes) {
  edges.expect_up(on, op, binomial_parent_in_order, bytes);
  edges.expect_down(on, op, binomial_parent, bytes);
}

// Runs operations on all communicators at once, and completes them in various ways.
void nonblocking(Edges& edges, std::vector<Everyone> const& all, MPI_Comm world) {
  constexpr int ways = 4;
  for (int way = 0; way < ways; ++way) {
    std::vector<MPI_Request> requests;
    int bytes = 100 * (way + 1);
    for (Everyone const& on : all) {
      for (bool const is_bcast : {way % 2 == 0, way % 2 != 0}) {
        MPI_Request& request = requests.emplace_back();
        ++bytes;
        char* const room = in.data() + largest * static_cast<int>(requests.size());
        if (is_bcast) {
          MPI_Ibcast(room, bytes, MPI_CHAR, 0, on.comm, &request);
          expect_ibcast(edges, on, bytes);
        } else {
          MPI_Iallreduce(out.data(), room, bytes, MPI_CHAR, MPI_MAX, on.comm, &request);
          expect_iallreduce(edges, on, "Iallreduce", bytes);
        }
      }
    }
    int done = 0;
    auto const count = static_cast<int>(requests.size());
    switch (way) {
      case 0:
        std::for_each(requests.rbegin(), requests.rend(), [](MPI_Request& r) { MPI_Wait(&r, MPI_STATUS_IGNORE); });
        break;
      case 1:
        MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
        break;
      case 2:
        while (done == 0) MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
        break;
      default:
        for (int i = 0; i < 20; ++i) MPI_Barrier(world);  // makes progress for them
        MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    }
  }
}

void persistent(Edges& edges, Everyone const& on, int bytes) {
  MPI_Request request;
#ifdef MPI_SESSION_NULL  // Open MPI 5.0, where it has the name of the standard
  MPI_Allreduce_init(out.data(), in.data(), bytes, MPI_CHAR, MPI_MAX, on.comm, MPI_INFO_NULL, &request);
#else
  MPIX_Allreduce_init(out.data(), in.data(), bytes, MPI_CHAR, MPI_MAX, on.comm, MPI_INFO_NULL, &request);
#endif
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_iallreduce(edges, on, "Allreduce_init", bytes);
  }
  MPI_Request_free(&request);
}

void create_others(ProfileTest const& test) {
  MPI_Group world, first;
  int const size = test.ranks;
  int range[1][3] = {{0, (size - 1) / 2, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, range, &first);
  MPI_Comm created = MPI_COMM_NULL, grid, of_group = MPI_COMM_NULL, host;
  MPI_Comm_create(MPI_COMM_WORLD, first, &created);
  int const periodic = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
  if (test.rank <= range[0][1]) MPI_Comm_create_group(MPI_COMM_WORLD, first, 1, &of_group);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  for (MPI_Comm* const comm : {&created, &grid, &of_group, &host})
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  MPI_Group_free(&first);
  MPI_Group_free(&world);
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  std::set<std::string> const not_foreseen{"Comm_split",  "Comm_dup",          "Comm_idup",       "Comm_create",
                                           "Cart_create", "Comm_create_group", "Comm_split_type", "Comm_free",
                                           "Win_create",  "Win_fence",         "Win_free",        "Barrier"};
  for (std::string const& op : not_foreseen) test.ignore(op);
  for (char const* const op : {"Sendrecv", "Reduce", "Bcast", "Allreduce", "Alltoall", "Ibcast", "Iallreduce", "Wait",
                               "Waitall", "Testall", "Testall-none", "Allreduce_init", "Start", "Request_free"})
    test.ignore(op);
  Edges edges;
  Everyone const world{MPI_COMM_WORLD, "W", test.rank, test.ranks};

  MPI_Comm reversed, first, second;
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_idup(MPI_COMM_WORLD, &second, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  Everyone const backwards{reversed, "W_s1.0", test.ranks - 1 - test.rank, test.ranks, true};
  std::vector<Everyone> const all{
      {first, "W_d2", test.rank, test.ranks}, {second, "W_d3", test.rank, test.ranks}, backwards, world};

  MPI_Pcontrol(COMMPROF_REGION_BEGIN, "tree");
  test.expect_entered("tree");
  reduce(edges, world, 1000);
  reduce(edges, backwards, 5000);
  MPI_Pcontrol(COMMPROF_REGION_END);

  blocking(edges, world, 2000);
  blocking(edges, backwards, 17);
  MPI_Pcontrol(0);
  MPI_Bcast(out.data(), 3000, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(1);

  // Creating communicators takes tags, which must not be mistaken for tags of later operations on the parent.
  create_others(test);
  // A window takes an internal communicator of the MPI.
  MPI_Win win;
  if (test.ranks > 1) {
    MPI_Win_create(out.data(), largest, 1, MPI_INFO_NULL, first, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
  }
  nonblocking(edges, all, MPI_COMM_WORLD);
  MPI_Comm_free(&first);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);  // gets the old one's handle, most likely
  nonblocking(edges, {{first, "W_d7", test.rank, test.ranks}, backwards}, MPI_COMM_WORLD);
  if (test.ranks > 1) persistent(edges, backwards, 40);

  int const right = (test.rank + 1) % test.ranks, left = (test.rank + test.ranks - 1) % test.ranks;
  MPI_Sendrecv(out.data(), 77, MPI_CHAR, right, 1, in.data(), 77, MPI_CHAR, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  test.finish();

  edges.compare(test, not_foreseen);
  for (char const* const op : {"Comm_split", "Comm_dup", "Comm_idup"}) {
    bool const is_there = std::any_of(test.peers().begin(), test.peers().end(), [&](Row const& row) {
      return row.at("comm") == "W" && row.at("op") == op && row.at("src") == std::to_string(test.rank);
    });
    test.require(is_there == (test.ranks > 1), fmt::format("messages of {} are in the profile: {}", op, is_there));
  }
  for (Row const& row : test.peers())
    if (row.at("class") != "internal")
      test.require(row.at("class") == "p2p" && row.at("messages") == "1" && row.at("bytes") == "77",
                   "a message that is none of the program's");
  return test.exit_code();
}
