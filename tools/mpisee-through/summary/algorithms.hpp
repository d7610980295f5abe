// Names the algorithm of a collective operation by the messages that the MPI sent for it.
//
// Each algorithm has a pattern: who sends to whom, and how many messages a call. The pattern is compared with the
// messages of all calls of an operation on a communicator. Calls with different algorithms match no pattern. Only the
// algorithms that an operation can have are tried: the messages of a recursive doubling may be those of a halving.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "summary/summary.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

using Rank = std::uint32_t;  // in the communicator

struct SentMessages {
  Rank from, to;
  std::uint64_t messages;

  [[nodiscard]] std::pair<Rank, Rank> ends() const { return {from, to}; }
};

// Whether a message may be sent in several pieces, which are messages of their own.
enum class Pieces { one, several };

// The messages of one call, compared with those that were sent for all calls. All messages that may be in pieces are in
// equally many.
class Pattern {
 public:
  explicit Pattern(std::vector<SentMessages> const& sent) : sent_(sent), expected_(sent.size()) {}

  // From now on, ranks are those in a group of the communicator's, in its order.
  void begin(std::vector<Rank> const& group) { group_ = group; }
  [[nodiscard]] Rank size() const { return static_cast<Rank>(group_.size()); }
  // Does nothing for a message of a rank to itself.
  void send(Rank from, Rank to, std::uint64_t times = 1, Pieces pieces = Pieces::one) {
    if (from == to || !matches_so_far_) return;
    auto const ends = std::pair(group_[from], group_[to]);
    auto const found = std::ranges::lower_bound(sent_, ends, {}, &SentMessages::ends);
    matches_so_far_ = found != sent_.end() && found->ends() == ends;
    if (!matches_so_far_) return;
    Expected& one = expected_[static_cast<std::size_t>(found - sent_.begin())];
    matches_so_far_ = one.times == 0 || one.pieces == pieces;
    one.times += times;
    one.pieces = pieces;
  }
  void exchange(Rank one, Rank other) {
    send(one, other);
    send(other, one);
  }
  [[nodiscard]] bool matches(std::uint64_t calls) const {
    std::uint64_t pieces = 0;
    for (std::size_t i = 0; matches_so_far_ && i < sent_.size(); ++i) {
      std::uint64_t const times = calls * expected_[i].times, messages = sent_[i].messages;
      if (times == 0 || messages < times || messages % times != 0) return false;
      std::uint64_t const of_this = messages / times;
      if (expected_[i].pieces == Pieces::one ? of_this > 1 : pieces > 0 && of_this != pieces) return false;
      if (expected_[i].pieces == Pieces::several) pieces = of_this;
    }
    return matches_so_far_ && !sent_.empty();
  }

 private:
  struct Expected {
    std::uint64_t times = 0;
    Pieces pieces = Pieces::one;
  };
  std::span<Rank const> group_;
  std::vector<SentMessages> const& sent_;
  std::vector<Expected> expected_;  // one for each of sent_
  bool matches_so_far_ = true;
};

// Operations as bits of a set.
using Operations = unsigned;
namespace for_op {
constexpr Operations barrier = 1, bcast = 2, gather = 4, scatter = 8, allgather = 16, alltoall = 32, reduce = 64,
                     allreduce = 128, reduce_scatter = 256, scan = 512;
constexpr Operations with_root = bcast | gather | scatter | reduce;
}  // namespace for_op

// By its name in operations.csv; 0 for one that has no algorithms here.
[[nodiscard]] Operations operations_of(std::string_view operation);

// One pattern may have another name for another operation.
struct Algorithm {
  std::string_view name;
  Operations operations;
  std::function<void(Pattern&, Rank root)> play;
  Rank fewest_ranks = 0;  // on fewer, it is another one
};
[[nodiscard]] std::span<Algorithm const> all_algorithms();

// The names of all algorithms with this pattern, joined by " or "; on few ranks, some are alike. "A within hosts, B
// between them" if hosts have an algorithm of their own; "unknown" if there are none. operation: as in operations.csv.
// host_of_rank: an index, for each rank of the communicator. calls: of each of its ranks. sent: ascending by from, then
// by to; without messages of a rank to itself.
[[nodiscard]] std::string algorithm_of(std::string_view operation, std::vector<std::uint32_t> const& host_of_rank,
                                       std::uint64_t calls, std::vector<SentMessages> const& sent);

// The calls of a collective operation on a communicator for which the MPI sent messages: those of one size, or all
// together, if that names an algorithm and sizes do not (in v-collectives a call has a size of its own on each rank).
struct AlgorithmSummary {
  CommunicatorIndex communicator;
  OperationIndex operation;
  SizeBin sizes;  // the bounds of the calls' sizes
  Totals totals;
  std::uint64_t calls;  // of each rank; 0 if they differ
  std::string algorithm;
  Amount sent;  // for all calls
};

// Reads the messages of class internal, whichever class is selected. Descending by the time in the operations, then
// ascending by size. summary: with cells by communicator, operation and size. Throws ProfileError and SelectionError.
[[nodiscard]] std::vector<AlgorithmSummary> read_algorithms(Profile const& profile, Selection const& selection,
                                                            Summary const& summary);

// Neighbouring sizes with one algorithm become one.
[[nodiscard]] std::vector<AlgorithmSummary> join_sizes(std::vector<AlgorithmSummary> const& algorithms);

}  // namespace mpisee_through
