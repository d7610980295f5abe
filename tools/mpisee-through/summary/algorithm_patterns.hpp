// The messages that each algorithm sends in a call, compared with those that were sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace mpisee_through
