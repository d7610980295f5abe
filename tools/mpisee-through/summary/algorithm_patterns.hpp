// The messages that each algorithm sends in a call.
#pragma once

#include <span>
#include <string_view>

#include "summary/message_pattern.hpp"

namespace mpisee_through {

// Operations as bits of a set.
using Operations = unsigned;
namespace for_op {
constexpr Operations barrier = 1, bcast = 2, gather = 4, scatter = 8, allgather = 16, alltoall = 32, reduce = 64,
                     allreduce = 128, reduce_scatter = 256, scan = 512;
constexpr Operations with_root = bcast | gather | scatter | reduce;
constexpr Operations both_ways = barrier | allgather | allreduce | reduce_scatter;  // up a tree, then down one
}  // namespace for_op

// One pattern may have another name for another operation.
struct Algorithm {
  std::string_view name;
  Operations operations;
  void (*play)(Pattern&, Rank root);
};
[[nodiscard]] std::span<Algorithm const> other_than_trees();

// By its name in operations.csv; 0 for one that has no algorithms here.
[[nodiscard]] Operations operations_of(std::string_view operation);

// Trees with root 0, by the parent of a rank, which is a lower one.
struct Tree {
  std::string_view name;
  Rank (*parent)(Rank rank, Rank size, Rank degree);
  Rank degree = 0;
};

[[nodiscard]] std::span<Tree const> trees();

enum class Way { up, down };

void send_along(Pattern& pattern, Tree const& tree, Rank root, Way way, Pieces pieces = Pieces::one);

// A scan within a host, whose last rank sends its sum to the first one. Trees spread the sum of the hosts before, which
// the first host has not, and in one of two algorithms the host's own, too.
void scan_within_host(Pattern& pattern, int trees);
// The first rank of each host doubles, and sends the sum of the hosts so far to the next one.
void scan_between_hosts(Pattern& pattern);

}  // namespace mpisee_through
