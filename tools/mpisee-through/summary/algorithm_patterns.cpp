// The messages that each algorithm sends in a call.
#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "summary/algorithms.hpp"
#include "summary/operation_kind.hpp"

namespace mpisee_through {
namespace {

// Trees with root 0, by the parent of a rank, which is a lower one.
struct Tree {
  std::string_view name;
  Rank (*parent)(Rank rank, Rank size, Rank degree);
  Rank degree = 0;
};

// Chains of neighbours, the longer ones first.
Rank in_chains(Rank rank, Rank size, Rank number) {
  Rank const length = (size - 1) / number, longer = (size - 1) % number, in_longer = longer * (length + 1);
  Rank const place = rank - 1 < in_longer ? (rank - 1) % (length + 1) : (rank - 1 - in_longer) % length;
  return place == 0 ? 0 : rank - 1;
}
Rank without_lowest_bit(Rank rank, Rank, Rank) { return rank & (rank - 1); }
Rank without_highest_bit(Rank rank, Rank = 0, Rank = 0) { return rank - std::bit_floor(rank); }
// The rank without its last digit to the base k that is not 0.
Rank without_lowest_digit(Rank rank, Rank, Rank k) {
  Rank power = k;
  while (rank % power == 0) power *= k;
  return rank / power * power;
}
// Level by level; on each, the first children of all come before the second ones.
Rank in_binary(Rank rank, Rank, Rank) {
  Rank above = 1;
  while (2 * above * 2 - 1 <= rank) above *= 2;
  Rank const first_above = above - 1;
  return rank - above < first_above + above ? rank - above : rank - 2 * above;
}
constexpr Tree binary{"binary tree", in_binary}, binomial{"binomial tree", without_lowest_bit};

enum class Way { up, down };

void send_along(Pattern& pattern, Tree const& tree, Rank root, Way way, Pieces pieces = Pieces::one) {
  for (Rank rank = 1; rank < pattern.size(); ++rank) {
    Rank const child = (rank + root) % pattern.size();
    Rank const above = (tree.parent(rank, pattern.size(), tree.degree) + root) % pattern.size();
    if (way == Way::up) pattern.send(child, above, 1, pieces);
    else pattern.send(above, child, 1, pieces);
  }
}

void spread_along_tree(Pattern& pattern, Rank root) { send_along(pattern, binomial, root, Way::down); }

// The root tells each other rank when to send. Data are in two parts.
void synchronised_star(Pattern& pattern, Rank root) {
  for (Rank rank = 0; rank < pattern.size(); ++rank) {
    pattern.send(root, rank);
    pattern.send(rank, root, 2);
  }
}

// Half of the data goes down each subtree, that of odd ranks and that of even ones; then neighbours exchange the
// halves. The last odd rank without a neighbour gets its half from the root.
void split_binary(Pattern& pattern, Rank root) {
  Rank const size = pattern.size();
  send_along(pattern, binary, root, Way::down, Pieces::several);
  for (Rank rank = 1; rank + 1 < size; rank += 2) pattern.exchange((rank + root) % size, (rank + 1 + root) % size);
  if (size % 2 == 0) pattern.send(root, (size - 1 + root) % size);
}

void ring(Pattern& pattern, std::uint64_t times, Pieces pieces = Pieces::one) {
  for (Rank rank = 0; rank < pattern.size(); ++rank) pattern.send(rank, (rank + 1) % pattern.size(), times, pieces);
}

// Each rank sends to those a power of two further on, or gets from them.
template <bool sends>
void with_distances(Pattern& pattern, Rank) {
  Rank const size = pattern.size();
  for (Rank far = 1; far < size; far *= 2)
    for (Rank rank = 0; rank < size; ++rank)
      pattern.send(sends ? rank : (rank + far) % size, sends ? (rank + far) % size : rank);
}
constexpr auto to_distances = with_distances<true>, from_distances = with_distances<false>;

// The largest power of two of the ranks take part; each rank beyond it gives its data to one that does. kept: which of
// two neighbours takes part, the odd or the even one; or the first ranks.
enum class Kept { odd, even, first };
class Cube {
 public:
  Cube(Rank size, Kept kept) : part_(std::bit_floor(size)), rest_(size - part_), kept_(kept) {}

  [[nodiscard]] Rank part() const { return part_; }
  [[nodiscard]] Rank rest() const { return rest_; }
  [[nodiscard]] Rank rank_of(Rank number) const {
    if (kept_ == Kept::first) return number;
    return number < rest_ ? 2 * number + (kept_ == Kept::odd ? 1 : 0) : number + rest_;
  }
  // The rank that gives its data to that of this number, which is below rest().
  [[nodiscard]] Rank beyond(Rank number) const {
    if (kept_ == Kept::first) return part_ + number;
    return kept_ == Kept::odd ? 2 * number : 2 * number + 1;
  }

 private:
  Rank part_, rest_;
  Kept kept_;
};

// Ranks exchange with those that differ in one bit. in, out: messages of a rank beyond, and to it.
void exchange_in(Cube const& cube, Pattern& pattern, std::uint64_t times, std::uint64_t in = 1, std::uint64_t out = 1) {
  for (Rank number = 0; number < cube.rest(); ++number) {
    pattern.send(cube.beyond(number), cube.rank_of(number), in);
    if (out > 0) pattern.send(cube.rank_of(number), cube.beyond(number), out);
  }
  for (Rank number = 0; number < cube.part(); ++number)
    for (Rank bit = 1; bit < cube.part(); bit *= 2)
      pattern.send(cube.rank_of(number), cube.rank_of(number ^ bit), times);
}

template <Kept kept, std::uint64_t times, std::uint64_t in = 1, std::uint64_t out = 1>
void hypercube(Pattern& pattern, Rank) {
  exchange_in(Cube(pattern.size(), kept), pattern, times, in, out);
}

// A reduction by halving, whose parts a binomial tree gathers at the root. A root beyond the power of two takes the
// place of the first rank, which sends its part to it.
template <Kept kept, std::uint64_t in, std::uint64_t out>
void halving_and_gather(Pattern& pattern, Rank root) {
  Cube const cube(pattern.size(), kept);
  exchange_in(cube, pattern, 1, in, out);
  Rank of_root = 0;
  while (of_root < cube.part() && cube.rank_of(of_root) != root) ++of_root;
  bool const is_beyond = of_root == cube.part();
  if (is_beyond) {
    of_root = 0;
    pattern.send(cube.rank_of(0), root);
  }
  auto const rank_of = [&](Rank number) { return is_beyond && number == 0 ? root : cube.rank_of(number); };
  for (Rank number = 1; number < cube.part(); ++number)
    pattern.send(rank_of(number ^ of_root), rank_of(without_highest_bit(number) ^ of_root));
}

// A reduction by halving that begins with neighbours, so that the parts are at ranks with their bits in reverse order.
void butterfly(Pattern& pattern, Rank) {
  Cube const cube(pattern.size(), Kept::odd);
  exchange_in(cube, pattern, 1, 1, 0);
  for (Rank number = 0; number < cube.part(); ++number) {
    Rank reverse = 0;
    for (Rank bit = 1, other = cube.part() / 2; other > 0; bit *= 2, other /= 2)
      if ((number & bit) != 0) reverse |= other;
    if (reverse < cube.rest()) pattern.send(cube.rank_of(number), cube.beyond(reverse));
    pattern.send(cube.rank_of(number), cube.rank_of(reverse));
  }
}

// Pairs that differ in one bit exchange, as far as they exist.
void existing_pairs(Pattern& pattern, Rank) {
  for (Rank bit = 1; bit < pattern.size(); bit *= 2)
    for (Rank rank = 0; rank < pattern.size(); ++rank)
      if ((rank ^ bit) < pattern.size()) pattern.send(rank, rank ^ bit);
}
// Then the last rank sends the result to the first one, which can send it to those of other hosts.
void pairs_and_result(Pattern& pattern, Rank root) {
  existing_pairs(pattern, root);
  pattern.send(pattern.size() - 1, root);
}

// In each step, a rank without a partner gets what the others got from one of those that the step has joined, along a
// tree.
void doubling_of_all(Pattern& pattern, Rank root) {
  Rank const size = pattern.size();
  auto const send = [&](Rank from, Rank to) { pattern.send((from + root) % size, (to + root) % size); };
  for (Rank bit = 1; bit < size; bit *= 2) {
    std::vector<bool> has(size);
    for (Rank rank = 0; rank < size; ++rank) {
      has[rank] = (rank ^ bit) < size;
      if (has[rank]) send(rank, rank ^ bit);
    }
    for (Rank half = bit / 2; half > 0; half /= 2)
      for (Rank rank = 0; rank + half < size; ++rank) {
        if ((rank & half) != 0 || !has[rank] || has[rank + half]) continue;
        has[rank + half] = true;
        send(rank, rank + half);
      }
  }
}

void all_pairs(Pattern& pattern, Rank) {
  for (Rank from = 0; from < pattern.size(); ++from)
    for (Rank to = 0; to < pattern.size(); ++to) pattern.send(from, to);
}

// An even number of ranks exchange with one neighbour, then with the other, in turn.
void neighbours(Pattern& pattern, Rank) {
  Rank const size = pattern.size();
  for (Rank step = 0; size % 2 == 0 && step < size / 2; ++step)
    for (Rank rank = 0; rank < size; rank += 2)
      pattern.exchange(rank, step % 2 == 0 ? rank + 1 : (rank + size - 1) % size);
}

std::vector<Algorithm> others_than_trees() {
  return {{"flat with synchronisation", for_op::gather, synchronised_star},
          {"split binary tree", for_op::bcast, split_binary},
          {"recursive doubling", for_op::barrier | for_op::allgather | for_op::allreduce, hypercube<Kept::odd, 1>},
          {"recursive doubling", for_op::barrier | for_op::allgather | for_op::allreduce, hypercube<Kept::first, 1>},
          {"recursive halving", for_op::reduce_scatter, hypercube<Kept::odd, 1>},
          {"recursive doubling", for_op::allgather | for_op::reduce_scatter, doubling_of_all},
          {"recursive doubling", for_op::scan, existing_pairs},
          {"recursive doubling", for_op::scan, pairs_and_result},
          {"recursive doubling and tree", for_op::scan,
           [](Pattern& one, Rank root) {
             pairs_and_result(one, root);
             spread_along_tree(one, root);
           }},
          {"butterfly", for_op::reduce_scatter, butterfly},
          {"halving and doubling", for_op::allreduce, hypercube<Kept::odd, 2>},
          {"halving and doubling", for_op::allreduce, hypercube<Kept::even, 2>},
          {"halving and doubling", for_op::allreduce, hypercube<Kept::even, 2, 2, 2>},
          {"halving and gather", for_op::reduce, halving_and_gather<Kept::odd, 1, 0>},
          {"halving and gather", for_op::reduce, halving_and_gather<Kept::even, 1, 0>},
          {"halving and gather", for_op::reduce, halving_and_gather<Kept::even, 2, 1>},
          {"ring", for_op::allgather | for_op::allreduce | for_op::reduce_scatter,
           [](Pattern& one, Rank) { ring(one, one.size() - 1, Pieces::several); }},
          {"double ring", for_op::barrier, [](Pattern& one, Rank) { ring(one, 2); }},
          {"Bruck", for_op::allgather | for_op::alltoall, to_distances},
          {"Bruck", for_op::allgather | for_op::alltoall, from_distances},
          {"dissemination", for_op::barrier, to_distances},
          {"dissemination and tree", for_op::barrier,
           [](Pattern& one, Rank root) {
             to_distances(one, root);
             spread_along_tree(one, root);
           }},
          {"pairwise", for_op::allgather | for_op::alltoall | for_op::reduce_scatter, all_pairs},
          {"linear", for_op::allgather | for_op::alltoall, all_pairs},
          {"neighbour exchange", for_op::allgather, neighbours},
          {"scatter and ring", for_op::bcast,
           [](Pattern& one, Rank root) {
             spread_along_tree(one, root);
             ring(one, one.size() - 1);
           }},
          {"scatter and recursive doubling", for_op::bcast, [](Pattern& one, Rank root) {
             spread_along_tree(one, root);
             doubling_of_all(one, root);
           }}};
}

// Up to the root, down from it, or both.
void add_tree(std::vector<Algorithm>& all, Tree const& tree) {
  Operations const chains = tree.name == "chain" ? for_op::scan : 0;
  for (auto const& [operations, is_up, is_down] :
       {std::tuple(for_op::gather | for_op::reduce, true, false),
        std::tuple(for_op::bcast | for_op::scatter | chains, false, true),
        std::tuple(for_op::barrier | for_op::allgather | for_op::allreduce | for_op::reduce_scatter, true, true)})
    all.push_back({tree.name, operations,
                   [tree, up = is_up, down = is_down](Pattern& pattern, Rank root) {
                     if (up) send_along(pattern, tree, root, Way::up, Pieces::several);
                     if (down) send_along(pattern, tree, root, Way::down, Pieces::several);
                   },
                   tree.degree + 2});
}

// By the beginning of the blocking form. The first one that fits counts.
constexpr std::pair<std::string_view, Operations> operations_by_name[]{
    {"Barrier", for_op::barrier},     {"Bcast", for_op::bcast},         {"Gather", for_op::gather},
    {"Scatter", for_op::scatter},     {"Allgather", for_op::allgather}, {"Alltoall", for_op::alltoall},
    {"Allreduce", for_op::allreduce}, {"Scan", for_op::scan},           {"Reduce_scatter", for_op::reduce_scatter},
    {"Reduce", for_op::reduce},       {"Exscan", for_op::scan}};

}  // namespace

std::span<Algorithm const> all_algorithms() {
  static std::vector<Algorithm> const all = [] {
    constexpr Rank most_children = 8;  // at one level, or chains
    std::vector<Algorithm> made;
    for (Tree const &tree : {Tree{"flat", [](Rank, Rank, Rank) { return Rank{0}; }},
                             Tree{"chain", [](Rank rank, Rank, Rank) { return rank - 1; }}, binomial,
                             Tree{"binomial tree", without_highest_bit}, binary})
      add_tree(made, tree);
    for (Rank k = 3; k <= most_children; ++k) add_tree(made, {"k-nomial tree", without_lowest_digit, k});
    for (Rank number = 2; number <= most_children; ++number) add_tree(made, {"several chains", in_chains, number});
    std::ranges::move(others_than_trees(), std::back_inserter(made));
    return made;
  }();
  return all;
}

Operations operations_of(std::string_view operation) {
  std::string const name = blocking_form(operation);
  for (auto const& [beginning, operations] : operations_by_name)
    if (name.starts_with(beginning)) return operations;
  return 0;
}

}  // namespace mpisee_through
