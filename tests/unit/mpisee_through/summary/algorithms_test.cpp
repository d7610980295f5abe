#include "summary/algorithms.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using mpisee_through::SentMessages;

namespace {

// With all ranks on one host.
std::string algorithm_of(std::string const& operation, std::uint32_t ranks, std::uint64_t calls,
                         std::vector<SentMessages> const& sent) {
  return mpisee_through::algorithm_of(operation, std::vector<std::uint32_t>(ranks), calls, sent);
}

// FROM>TO:MESSAGES of one call, for several calls.
std::vector<SentMessages> messages_in(std::string const& text, std::uint64_t calls) {
  std::vector<SentMessages> all;
  std::istringstream words(text);
  SentMessages one{};
  for (char between = 0; words >> one.from >> between >> one.to >> between >> one.messages;) {
    one.messages *= calls;
    all.push_back(one);
  }
  return all;
}

struct ForcedAlgorithm {
  std::string what;  // MPI, operation, its name or number
  std::uint32_t ranks;
  std::string messages;
  std::string name;
};

using Rank = std::uint32_t;

// The messages of one call, by sender and receiver.
class Call {
 public:
  explicit Call(Rank ranks) : ranks_(ranks) {}

  void send(Rank from, Rank to, std::uint64_t times = 1) { messages_[{from % ranks_, to % ranks_}] += times; }
  void exchange(Rank one, Rank other) {
    send(one, other);
    send(other, one);
  }
  [[nodiscard]] std::string algorithm(std::string const& operation) const {
    std::vector<SentMessages> sent;
    for (auto const& [ends, times] : messages_) sent.push_back({ends.first, ends.second, 3 * times});
    return algorithm_of(operation, ranks_, 3, sent);
  }

 private:
  Rank ranks_;
  std::map<std::pair<Rank, Rank>, std::uint64_t> messages_;
};

constexpr Rank most_ranks = 16;

// A rank that has the data sends it to the first rank of each of the k-1 next blocks, then within its own block.
Call bcast_along_knomial_tree(Rank ranks, Rank k, Rank root, std::uint64_t pieces = 1) {
  Call call(ranks);
  Rank block = 1;
  while (block * k < ranks) block *= k;
  for (; block > 0; block /= k)
    for (Rank owner = 0; owner < ranks; owner += block * k)
      for (Rank to = owner + block; to < std::min(owner + block * k, ranks); to += block)
        call.send(owner + root, to + root, pieces);
  return call;
}

// Ranks are dealt out to the chains, which have them in ascending order.
Call reduce_along_chains(Rank ranks, Rank chains, Rank root, std::uint64_t pieces = 1) {
  Call call(ranks);
  std::vector<Rank> lengths(chains);
  for (Rank rank = 1; rank < ranks; ++rank) ++lengths[(rank - 1) % chains];
  Rank next = 1;
  for (Rank const length : lengths)
    for (Rank place = 0; place < length; ++place, ++next)
      call.send(next + root, (place == 0 ? 0 : next - 1) + root, pieces);
  return call;
}

// A rank looks for its parent from the root down: it is in the lower half of those left, or in the others.
Call reduce_in_order(Rank ranks, Rank root, std::uint64_t pieces = 1) {
  Call call(ranks);
  for (Rank rank = 0; rank + 1 < ranks; ++rank) {
    Rank first = 0, last = ranks - 1, parent = last;
    while (rank != last) {
      Rank const number = last - first + 1, upper = first + (number > 2 ? number / 2 : 0);
      parent = last;
      if (rank < upper) {
        last = upper - 1;
      } else {
        first = upper;
        --last;
      }
    }
    call.send(rank, parent, pieces);
  }
  if (root != ranks - 1) call.send(ranks - 1, root);
  return call;
}

// Halves of the data go down the subtrees of the root's children. Each level has twice as many ranks as that above.
Call bcast_in_halves(Rank ranks, Rank root, std::uint64_t pieces = 1) {
  Call call(ranks);
  for (Rank width = 1, first = 0; first < ranks; first += width, width *= 2)
    for (Rank rank = first; rank < first + width; ++rank)
      for (Rank const child : {rank + width, rank + 2 * width})
        if (child < ranks) call.send(rank + root, child + root, pieces);
  for (Rank rank = 1; rank < ranks; rank += 2) {
    if (rank + 1 < ranks) call.exchange(rank + root, rank + 1 + root);
    else call.send(root, rank + root);
  }
  return call;
}

// The first ranks in excess of a power of two are joined with their neighbours: both reduce a half, then the even one
// gets the other half.
std::vector<Rank> reduce_to_power_of_two(Call& call, Rank ranks) {
  Rank power = 1;
  while (2 * power <= ranks) power *= 2;
  std::vector<Rank> taking_part;
  for (Rank rank = 0; rank < 2 * (ranks - power); rank += 2) {
    call.exchange(rank, rank + 1);
    call.send(rank + 1, rank);
    taking_part.push_back(rank);
  }
  for (Rank rank = 2 * (ranks - power); rank < ranks; ++rank) taking_part.push_back(rank);
  return taking_part;
}
void halve(Call& call, std::vector<Rank> const& ranks) {
  for (Rank place = 0; place < ranks.size(); ++place)
    for (Rank far = 1; far < ranks.size(); far *= 2)
      if ((place & far) == 0) call.exchange(ranks[place], ranks[place + far]);
}

}  // namespace

TEST_CASE("messages of MPICH 4.0.2 and Open MPI 4.1.4 with algorithms that they were told to use") {
  // Recorded with MPIR_CVAR_*_INTRA_ALGORITHM and coll_tuned_*_algorithm, from rank 0 or to it.
  ForcedAlgorithm const cases[] = {
      {"MPICH, Allreduce, recursive_doubling", 6,
       "0>1:1 1>0:1 1>3:1 1>4:1 2>3:1 3>1:1 3>2:1 3>5:1 4>1:1 4>5:1 5>3:1 5>4:1 ", "recursive doubling"},
      {"MPICH, Allreduce, reduce_scatter_allgather", 6,
       "0>1:1 1>0:1 1>3:2 1>4:2 2>3:1 3>1:2 3>2:1 3>5:2 4>1:2 4>5:2 5>3:2 5>4:2 ", "halving and doubling"},
      {"MPICH, Allreduce, smp", 6, "0>1:1 0>2:1 0>4:1 1>0:1 2>0:1 2>3:1 3>2:1 4>0:1 4>5:1 5>4:1 ", "binomial tree"},
      {"MPICH, Bcast, binomial", 6, "0>1:1 0>2:1 0>4:1 2>3:1 4>5:1 ", "binomial tree"},
      {"MPICH, Bcast, scatter_ring_allgather", 6, "0>1:6 0>2:1 0>4:1 1>2:5 2>3:6 3>4:5 4>5:6 5>0:5 ",
       "scatter and ring"},
      {"MPICH, Reduce, reduce_scatter_gather", 6, "0>2:1 0>4:1 1>0:1 2>0:2 2>5:1 3>2:1 4>0:2 4>5:1 5>2:2 5>4:1 ",
       "halving and gather"},
      {"MPICH, Allgather, brucks", 6,
       "0>2:1 0>4:1 0>5:1 1>0:1 1>3:1 1>5:1 2>0:1 2>1:1 2>4:1 3>1:1 3>2:1 3>5:1 4>0:1 4>2:1 4>3:1 "
       "5>1:1 5>3:1 5>4:1 ",
       "Bruck"},
      {"MPICH, Allgather, ring", 6, "0>1:5 1>2:5 2>3:5 3>4:5 4>5:5 5>0:5 ", "ring"},
      {"MPICH, Alltoall, brucks", 6,
       "0>1:1 0>2:1 0>4:1 1>2:1 1>3:1 1>5:1 2>0:1 2>3:1 2>4:1 3>1:1 3>4:1 3>5:1 4>0:1 4>2:1 4>5:1 "
       "5>0:1 5>1:1 5>3:1 ",
       "Bruck"},
      {"MPICH, Alltoall, pairwise", 6,
       "0>1:1 0>2:1 0>3:1 0>4:1 0>5:1 1>0:1 1>2:1 1>3:1 1>4:1 1>5:1 2>0:1 2>1:1 2>3:1 2>4:1 2>5:1 "
       "3>0:1 3>1:1 3>2:1 3>4:1 3>5:1 4>0:1 4>1:1 4>2:1 4>3:1 4>5:1 5>0:1 5>1:1 5>2:1 5>3:1 5>4:1 ",
       "pairwise or linear"},
      {"MPICH, Bcast, scatter_recursive_doubling_allgather", 8,
       "0>1:2 0>2:2 0>4:2 1>0:1 1>3:1 1>5:1 2>0:1 2>3:2 2>6:1 3>1:1 3>2:1 3>7:1 4>0:1 4>5:2 4>6:2 "
       "5>1:1 5>4:1 5>7:1 6>2:1 6>4:1 6>7:2 7>3:1 7>5:1 7>6:1 ",
       "scatter and recursive doubling"},
      {"MPICH, Allgather, recursive_doubling", 8,
       "0>1:1 0>2:1 0>4:1 1>0:1 1>3:1 1>5:1 2>0:1 2>3:1 2>6:1 3>1:1 3>2:1 3>7:1 4>0:1 4>5:1 4>6:1 "
       "5>1:1 5>4:1 5>7:1 6>2:1 6>4:1 6>7:1 7>3:1 7>5:1 7>6:1 ",
       "recursive doubling"},
      {"MPICH, Barrier, dissemination", 5,
       "0>1:2 0>2:2 0>4:2 1>0:1 1>2:1 1>3:1 2>1:1 2>3:2 2>4:1 3>0:1 3>2:1 3>4:1 4>0:1 4>1:1 4>3:1",
       "dissemination and tree"},
      {"MPICH, Scan, recursive_doubling", 5, "0>1:2 0>2:2 0>4:2 1>0:1 1>3:1 2>0:1 2>3:2 3>1:1 3>2:1 4>0:2",
       "recursive doubling and tree"},
      {"MPICH, Iscan, sched_smp", 6,
       "0>1:1 0>2:1 0>4:1 1>0:1 1>3:1 1>5:1 2>0:1 2>3:1 3>1:1 3>2:1 4>0:1 4>5:1 5>0:1 5>1:1 5>4:1 ",
       "recursive doubling"},
      {"Open MPI, Allreduce, 1", 6, "0>1:1 0>2:1 0>3:1 0>4:1 0>5:1 1>0:1 2>0:1 3>0:1 4>0:1 5>0:1 ", "flat"},
      {"Open MPI, Allreduce, 2", 6, "0>1:1 0>2:1 1>0:1 1>3:1 1>5:1 2>0:1 2>4:1 3>1:1 4>2:1 5>1:1 ", "binary tree"},
      {"Open MPI, Allreduce, 4", 6, "0>1:10 1>2:10 2>3:10 3>4:10 4>5:10 5>0:10 ", "ring"},
      {"Open MPI, Bcast, 3", 6, "0>1:1 1>2:1 2>3:1 3>4:1 4>5:1 ", "chain"},
      {"Open MPI, Bcast, 4", 6, "0>1:1 0>2:1 0>5:1 1>2:1 1>3:1 1>5:1 2>1:1 2>4:1 3>4:1 4>3:1 ", "split binary tree"},
      {"Open MPI, Bcast, 5", 6, "0>1:1 0>2:1 1>3:1 1>5:1 2>4:1 ", "binary tree"},
      {"Open MPI, Bcast, 6", 6, "0>1:1 0>2:1 0>4:1 1>3:1 1>5:1 ", "binomial tree"},
      {"Open MPI, Reduce, 6", 6, "0>2:1 1>2:1 2>5:1 3>4:1 4>5:1 5>0:1 ", "in-order binary tree"},
      {"Open MPI, Allgather, 5", 6, "0>1:2 0>5:1 1>0:2 1>2:1 2>1:1 2>3:2 3>2:2 3>4:1 4>3:1 4>5:2 5>0:1 5>4:2 ",
       "neighbour exchange"},
      {"Open MPI, Barrier, 2", 6, "0>1:2 1>2:2 2>3:2 3>4:2 4>5:2 5>0:2 ", "double ring"},
      {"Open MPI, Barrier, 4", 6,
       "0>1:1 0>2:1 0>4:1 1>2:1 1>3:1 1>5:1 2>0:1 2>3:1 2>4:1 3>1:1 3>4:1 3>5:1 4>0:1 4>2:1 4>5:1 "
       "5>0:1 5>1:1 5>3:1 ",
       "dissemination"},
      {"Open MPI, Reduce_scatter, 1", 6, "0>1:1 0>2:1 0>3:1 0>4:1 0>5:1 1>0:1 2>0:1 3>1:1 4>2:1 5>1:1 ", "two trees"},
      {"Open MPI, Allreduce, 6", 8,
       "0>1:2 0>2:2 0>4:2 1>0:2 1>3:2 1>5:2 2>0:2 2>3:2 2>6:2 3>1:2 3>2:2 3>7:2 4>0:2 4>5:2 4>6:2 "
       "5>1:2 5>4:2 5>7:2 6>2:2 6>4:2 6>7:2 7>3:2 7>5:2 7>6:2 ",
       "halving and doubling"},
  };
  for (auto const& [what, ranks, messages, name] : cases) {
    INFO(what);
    std::size_t const first = what.find(", ") + 2;
    std::string const operation = what.substr(first, what.find(", ", first) - first);
    CHECK(algorithm_of(operation, ranks, 3, messages_in(messages, 3)) == name);
  }
}

TEST_CASE("trees of several degrees, from any root, in pieces") {
  for (Rank ranks = 4; ranks <= most_ranks; ++ranks)
    for (Rank degree = 2; degree <= 8 && degree + 2 <= ranks; ++degree) {
      INFO(ranks << " ranks, " << degree);
      std::string const tree = degree == 2 ? "binomial tree" : "k-nomial tree";
      CHECK(bcast_along_knomial_tree(ranks, degree, 0).algorithm("Bcast") == tree);
      CHECK(bcast_along_knomial_tree(ranks, degree, ranks - 1, 7).algorithm("Bcast") == tree);
      CHECK(reduce_along_chains(ranks, degree, 0).algorithm("Reduce") == "several chains");
      CHECK(reduce_along_chains(ranks, degree, 2, 9).algorithm("Ireduce") == "several chains");
    }
  // All ranks are children of the root.
  CHECK(bcast_along_knomial_tree(5, 4, 0).algorithm("Bcast") == "flat");
  CHECK(reduce_along_chains(6, 5, 0).algorithm("Reduce") == "flat");
}

TEST_CASE("binary trees for reductions in order and for halves of the data") {
  for (Rank ranks = 4; ranks <= most_ranks; ++ranks)
    for (Rank root = 0; root < ranks; ++root) {
      INFO(ranks << " ranks, root " << root);
      CHECK(reduce_in_order(ranks, root).algorithm("Reduce") == "in-order binary tree");
      CHECK(reduce_in_order(ranks, root, 5).algorithm("Reduce") == "in-order binary tree");
      CHECK(bcast_in_halves(ranks, root).algorithm("Bcast") == "split binary tree");
      CHECK(bcast_in_halves(ranks, root, 4).algorithm("Bcast") == "split binary tree");
    }
  CHECK(bcast_in_halves(9, 0).algorithm("Scatter") == "unknown");
}

TEST_CASE("a gather in which the root tells when to send") {
  for (Rank ranks = 3; ranks <= most_ranks; ++ranks) {
    Call call(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (rank == 1) continue;
      call.send(1, rank);
      call.send(rank, 1, 2);
    }
    CHECK(call.algorithm("Gather") == "flat with synchronisation");
  }
}

TEST_CASE("Rabenseifner's algorithms on any number of ranks") {
  for (Rank ranks = 5; ranks <= most_ranks; ++ranks) {
    INFO(ranks << " ranks");
    Call all(ranks);
    std::vector<Rank> const part = reduce_to_power_of_two(all, ranks);
    halve(all, part);
    halve(all, part);
    for (Rank rank = 1; rank < 2 * (ranks - part.size()); rank += 2) all.send(rank - 1, rank);
    CHECK(all.algorithm("Allreduce") == "halving and doubling");

    // Steps of halving, backwards: the one of two partners that is nearer to the root gets what the other has.
    for (Rank root = 0; root < part.size(); ++root) {
      Call one(ranks);
      halve(one, reduce_to_power_of_two(one, ranks));
      for (Rank far = 1; far < part.size(); far *= 2)
        for (Rank place = 0; place < part.size(); ++place)
          if ((place ^ root) / far == 1) one.send(part[place], part[place ^ far]);
      CHECK(one.algorithm("Reduce") == "halving and gather");
    }
  }
  // The root, 1, is joined with rank 0, which sends its part to it and leaves it the rest of the gather.
  Call one(6);
  halve(one, reduce_to_power_of_two(one, 6));
  for (auto const& [from, to] : {std::pair<Rank, Rank>(0, 1), {2, 1}, {4, 1}, {5, 2}}) one.send(from, to);
  CHECK(one.algorithm("Reduce") == "halving and gather");
}

TEST_CASE("a scan doubles with the partners that exist") {
  for (Rank ranks = 3; ranks <= most_ranks; ++ranks) {
    Call call(ranks);
    for (Rank rank = 0; rank < ranks; ++rank)
      for (Rank other = rank + 1; other < ranks; ++other)
        if (Rank const differ = rank ^ other; (differ & (differ - 1)) == 0) call.exchange(rank, other);
    for (char const* operation : {"Scan", "Exscan", "Iscan"}) CHECK(call.algorithm(operation) == "recursive doubling");
    Call linear(ranks);
    for (Rank rank = 1; rank < ranks; ++rank) linear.send(rank - 1, rank);
    CHECK(linear.algorithm("Exscan") == "chain");
  }
}

TEST_CASE("doubling of all data passes on what a missing partner would have") {
  // Worked out by hand, step by step. In the last one, rank 4 is the only partner: 0 passes its part on to 1, 2, and 3.
  std::pair<Rank, char const*> const cases[]{
      {5, "0>1:2 0>2:2 0>4:1 1>0:1 1>3:1 2>0:1 2>3:2 3>1:1 3>2:1 4>0:1"},
      {6, "0>1:1 0>2:2 0>4:1 1>0:1 1>3:2 1>5:1 2>0:1 2>3:1 3>1:1 3>2:1 4>0:1 4>5:1 5>1:1 5>4:1"},
      {7,
       "0>1:1 0>2:1 0>4:1 1>0:1 1>3:2 1>5:1 2>0:1 2>3:1 2>6:1 3>1:1 3>2:1 4>0:1 4>5:2 4>6:1 5>1:1 5>4:1 6>2:1 6>4:1"}};
  for (auto const& [ranks, messages] : cases) {
    CHECK(algorithm_of("Allgather", ranks, 2, messages_in(messages, 2)) == "recursive doubling");
    CHECK(algorithm_of("Reduce_scatter", ranks, 2, messages_in(messages, 2)) == "recursive doubling");
  }
}

TEST_CASE("one pattern has the names that an operation can have") {
  std::string const cube =
      "0>1:1 0>2:1 0>4:1 1>0:1 1>3:1 1>5:1 2>0:1 2>3:1 2>6:1 3>1:1 3>2:1 3>7:1 4>0:1 4>5:1 4>6:1 "
      "5>1:1 5>4:1 5>7:1 6>2:1 6>4:1 6>7:1 7>3:1 7>5:1 7>6:1";
  auto const name = [&](char const* operation) { return algorithm_of(operation, 8, 2, messages_in(cube, 2)); };
  for (char const* operation : {"Barrier", "Allreduce", "Iallreduce", "Allgatherv", "Scan"})
    CHECK(name(operation) == "recursive doubling");
  CHECK(name("Reduce_scatter_block") == "recursive halving or recursive doubling");
  for (char const* operation : {"Bcast", "Alltoall", "Neighbor_alltoall"}) CHECK(name(operation) == "unknown");
  // A reduction of six ranks by halving, whose even ranks of the first four get their part at the end.
  CHECK(algorithm_of("Reduce_scatter", 6, 2,
                     messages_in("0>1:1 1>0:1 1>3:1 1>4:1 2>3:1 3>1:1 3>2:1 3>5:1 4>1:1 4>5:1 5>3:1 5>4:1", 2)) ==
        "recursive halving");
  // Recursive halving that begins with neighbours: 3 and 4 exchange what they have for each other, 1 and 4 serve 0
  // and 2.
  CHECK(algorithm_of("Reduce_scatter", 6, 2,
                     messages_in("0>1:1 1>0:1 1>3:1 1>4:1 2>3:1 3>1:1 3>4:1 3>5:1 4>1:1 4>2:1 4>3:1 4>5:1 5>3:1 5>4:1",
                                 2)) == "butterfly");
}

TEST_CASE("roots, segments and few ranks") {
  // A binomial tree of 4 ranks from rank 1.
  CHECK(algorithm_of("Bcast", 4, 5, messages_in("1>2:1 1>3:1 3>0:1", 5)) == "binomial tree");
  // Each message in 7 pieces.
  CHECK(algorithm_of("Bcast", 4, 5, messages_in("0>1:7 1>2:7 2>3:7", 5)) == "chain");
  CHECK(algorithm_of("Bcast", 3, 5, messages_in("0>1:1 0>2:1", 5)) == "flat or binomial tree or binary tree");
  CHECK(algorithm_of("Allreduce", 2, 5, messages_in("0>1:1 1>0:1", 5)) == "exchange");
  CHECK(algorithm_of("Reduce", 2, 5, messages_in("1>0:1", 5)) == "one message");
}

TEST_CASE("messages of no algorithm") {
  CHECK(algorithm_of("Bcast", 4, 5, {}) == "unknown");
  CHECK(algorithm_of("Bcast", 4, 0, messages_in("0>1:1 1>2:1 2>3:1", 5)) == "unknown");
  // Four calls went along the chain, one was flat.
  CHECK(algorithm_of("Bcast", 4, 5, {{0, 1, 5}, {0, 2, 1}, {0, 3, 1}, {1, 2, 4}, {2, 3, 4}}) == "unknown");
  CHECK(algorithm_of("Bcast", 2000, 1, {{0, 1, 1}}) == "unknown");
}

TEST_CASE("one algorithm within hosts, and one between them") {
  struct OnHosts {
    char const* operation;
    std::vector<std::uint32_t> host_of_rank;
    char const* messages;
    char const* name;
  };
  std::vector<std::uint32_t> const two_hosts{0, 0, 0, 0, 1, 1, 1, 1}, four_hosts{0, 0, 1, 1, 2, 2, 3, 3};
  // As MPICH 4.0.2 sends them.
  std::vector<OnHosts> const cases{
      {"Allreduce", two_hosts, "0>1:1 0>2:1 0>4:2 1>0:1 2>0:1 2>3:1 3>2:1 4>0:2 4>5:1 4>6:1 5>4:1 6>4:1 6>7:1 7>6:1",
       "binomial tree within hosts, exchange between them"},
      {"Allreduce", four_hosts,
       "0>1:1 0>2:2 0>4:2 1>0:1 2>0:2 2>3:1 2>6:2 3>2:1 4>0:2 4>5:1 4>6:2 5>4:1 6>2:2 6>4:2 6>7:1 7>6:1",
       "exchange within hosts, halving and doubling between them"},
      {"Barrier", two_hosts,
       "0>1:2 0>2:2 0>4:1 1>2:1 1>3:1 2>0:1 2>3:2 3>0:1 3>1:1 4>0:1 4>5:2 4>6:2 5>6:1 5>7:1 6>4:1 6>7:2 7>4:1 7>5:1",
       "dissemination and tree within hosts, exchange between them"},
      {"Barrier",
       {0, 0, 0, 1, 1, 1},
       "0>1:2 0>2:2 0>3:1 1>0:1 1>2:1 2>0:1 2>1:1 3>0:1 3>4:2 3>5:2 4>3:1 4>5:1 5>3:1 5>4:1",
       "dissemination and tree within hosts, exchange between them"},
      {"Scan", two_hosts,
       "0>1:2 0>2:2 0>4:2 1>0:1 1>3:1 2>0:1 2>3:2 3>0:1 3>1:1 3>2:1 4>0:1 4>5:3 4>6:3 5>4:1 5>7:1 6>4:1 6>7:3 7>4:1 "
       "7>5:1 7>6:1",
       "recursive doubling and tree within hosts, exchange between them"},
      {"Iscan", four_hosts,
       "0>1:1 0>2:2 0>4:1 1>0:2 2>0:1 2>3:2 2>4:1 2>6:1 3>2:2 4>0:1 4>5:2 4>6:2 5>4:2 6>2:1 6>4:1 6>7:2 7>6:2",
       "exchange within hosts, recursive doubling between them"},
      {"Barrier", {0, 0, 1, 1}, "0>1:2 0>2:1 1>0:1 2>0:1 2>3:2 3>2:1", "exchange within hosts, exchange between them"},
      {"Bcast",
       {0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
       "0>1:1 0>2:1 0>4:1 0>5:1 2>3:1 5>6:1 5>7:1 5>9:1 7>8:1",
       "binomial tree within hosts, one message between them"},
      // Ranks are dealt to the hosts in turn; a host has one rank.
      {"Reduce",
       {0, 1, 0, 2, 1, 0, 0},
       "1>0:1 2>0:1 3>0:1 4>1:1 5>0:1 6>5:1",
       "binomial tree within hosts, flat or binomial tree or binary tree between them"},
  };
  for (auto const& [operation, host_of_rank, messages, name] : cases) {
    INFO(operation << " on " << host_of_rank.size() << " ranks");
    CHECK(mpisee_through::algorithm_of(operation, host_of_rank, 3, messages_in(messages, 3)) == name);
    CHECK(algorithm_of(operation, static_cast<std::uint32_t>(host_of_rank.size()), 3, messages_in(messages, 3)) ==
          "unknown");
  }
  // A message between others than the first ranks of hosts.
  CHECK(mpisee_through::algorithm_of("Bcast", {0, 0, 0, 1, 1, 1}, 1, messages_in("0>1:1 0>2:1 0>3:1 2>5:1 3>4:1", 1)) ==
        "unknown");
}
