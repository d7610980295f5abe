#include "summary/algorithms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace mpisee_through {
namespace {

using Rank = std::uint32_t;

// Messages of one call.
class Pattern {
 public:
  explicit Pattern(Rank size) : size_(size) {}

  [[nodiscard]] Rank size() const { return size_; }
  void send(Rank from, Rank to, std::uint64_t times = 1) {
    if (from != to) messages_[{from, to}] += times;
  }
  void exchange(Rank one, Rank other) {
    send(one, other);
    send(other, one);
  }
  // Whether these are the messages of `calls` calls. in_segments: each message may be sent in several pieces.
  [[nodiscard]] bool matches(std::uint64_t calls, std::vector<SentMessages> const& sent, bool in_segments) const {
    if (messages_.size() != sent.size() || sent.empty()) return false;
    std::uint64_t const least = calls * messages_.begin()->second;
    std::uint64_t const segments = in_segments && least > 0 ? sent.front().messages / least : 1;
    return segments > 0 && std::ranges::equal(messages_, sent, [&](auto const& expected, SentMessages const& one) {
             return expected.first == std::pair(one.from, one.to) && expected.second * calls * segments == one.messages;
           });
  }

 private:
  Rank size_;
  std::map<std::pair<Rank, Rank>, std::uint64_t> messages_;
};

// Trees, by the parent of a rank relative to the root, which has the rank 0.
Rank star(Rank) { return 0; }
Rank chain(Rank rank) { return rank - 1; }
Rank binomial(Rank rank) { return rank & (rank - 1); }
Rank binomial_by_highest(Rank rank) { return rank - std::bit_floor(rank); }
// Level by level; on each, the first children of all come before the second ones.
Rank binary(Rank rank) {
  Rank above = 1;
  while (2 * above * 2 - 1 <= rank) above *= 2;
  Rank const first_above = above - 1;
  return rank - above < first_above + above ? rank - above : rank - 2 * above;
}
using Parent = Rank (*)(Rank);
struct Tree {
  std::string_view name;
  Parent parent;
};
constexpr std::array trees{Tree{"flat", star}, Tree{"chain", chain}, Tree{"binomial tree", binomial},
                           Tree{"binomial tree", binomial_by_highest}, Tree{"binary tree", binary}};

void send_along(Pattern& pattern, Parent parent, Rank root, bool up, bool down) {
  for (Rank rank = 1; rank < pattern.size(); ++rank) {
    Rank const child = (rank + root) % pattern.size(), above = (parent(rank) + root) % pattern.size();
    if (up) pattern.send(child, above);
    if (down) pattern.send(above, child);
  }
}

void ring(Pattern& pattern, std::uint64_t times) {
  for (Rank rank = 0; rank < pattern.size(); ++rank) pattern.send(rank, (rank + 1) % pattern.size(), times);
}

// Each rank sends to those a power of two further on.
void doubling_distances(Pattern& pattern, bool forwards) {
  for (Rank far = 1; far < pattern.size(); far *= 2)
    for (Rank rank = 0; rank < pattern.size(); ++rank) {
      Rank const other = (rank + far) % pattern.size();
      if (forwards) pattern.send(rank, other);
      else pattern.send(other, rank);
    }
}

// Among the largest power of two, ranks exchange with those that differ in one bit. The ranks beyond it send their part
// to a neighbour before, and get the result after. kept: which of two neighbours takes part, the odd or the even one.
enum class Kept { odd, even, first };
void hypercube(Pattern& pattern, std::uint64_t times, Kept kept, bool sends_back = true) {
  Rank const part = std::bit_floor(pattern.size()), rest = pattern.size() - part;
  auto const rank_of = [&](Rank number) {
    if (kept == Kept::first) return number;
    return number < rest ? 2 * number + (kept == Kept::odd ? 1 : 0) : number + rest;
  };
  for (Rank number = 0; number < rest; ++number) {
    Rank const taking_part = rank_of(number);
    Rank const other = kept == Kept::first ? part + number : kept == Kept::odd ? taking_part - 1 : taking_part + 1;
    pattern.send(other, taking_part);
    if (sends_back) pattern.send(taking_part, other);
  }
  for (Rank number = 0; number < part; ++number)
    for (Rank bit = 1; bit < part; bit *= 2) pattern.send(rank_of(number), rank_of(number ^ bit), times);
}

// A reduction by halving, whose parts a binomial tree gathers at the root.
void halving_and_gather(Pattern& pattern, Kept kept) {
  hypercube(pattern, 1, kept, false);
  Rank const part = std::bit_floor(pattern.size()), rest = pattern.size() - part;
  auto const rank_of = [&](Rank number) {
    return number < rest ? 2 * number + (kept == Kept::odd ? 1 : 0) : number + rest;
  };
  for (Rank number = 1; number < part; ++number) pattern.send(rank_of(number), rank_of(binomial_by_highest(number)));
}

void all_pairs(Pattern& pattern) {
  for (Rank from = 0; from < pattern.size(); ++from)
    for (Rank to = 0; to < pattern.size(); ++to) pattern.send(from, to);
}

// An even number of ranks exchange with one neighbour, then with the other, in turn.
void neighbours(Pattern& pattern) {
  Rank const size = pattern.size();
  if (size % 2 != 0) return;
  for (Rank step = 0; step < size / 2; ++step)
    for (Rank rank = 0; rank < size; rank += 2)
      pattern.exchange(rank, step % 2 == 0 ? rank + 1 : (rank + size - 1) % size);
}

struct Algorithm {
  std::string_view name;
  std::function<void(Pattern&, Rank root)> play;
  bool has_root = false;
  bool in_segments = false;
};

std::vector<Algorithm> make_algorithms() {
  std::vector<Algorithm> all;
  for (Tree const& tree : trees) {
    all.push_back(
        {tree.name, [tree](Pattern& one, Rank root) { send_along(one, tree.parent, root, true, false); }, true, true});
    all.push_back(
        {tree.name, [tree](Pattern& one, Rank root) { send_along(one, tree.parent, root, false, true); }, true, true});
  }
  for (auto const& up : trees)
    for (auto const& down : trees)
      all.push_back({up.name == down.name ? up.name : "two trees",
                     [up, down](Pattern& one, Rank root) {
                       send_along(one, up.parent, root, true, false);
                       send_along(one, down.parent, root, false, true);
                     },
                     true});
  all.push_back({"recursive doubling", [](Pattern& one, Rank) { hypercube(one, 1, Kept::odd); }});
  all.push_back({"recursive doubling", [](Pattern& one, Rank) { hypercube(one, 1, Kept::first); }});
  for (Kept const kept : {Kept::odd, Kept::even}) {
    all.push_back({"halving and doubling", [kept](Pattern& one, Rank) { hypercube(one, 2, kept); }});
    all.push_back({"halving and gather", [kept](Pattern& one, Rank) { halving_and_gather(one, kept); }});
  }
  all.push_back({"ring", [](Pattern& one, Rank) { ring(one, one.size() - 1); }});
  all.push_back({"ring", [](Pattern& one, Rank) { ring(one, std::uint64_t{2} * (one.size() - 1)); }, false, true});
  all.push_back({"double ring", [](Pattern& one, Rank) { ring(one, 2); }});
  all.push_back({"Bruck", [](Pattern& one, Rank) { doubling_distances(one, true); }});
  all.push_back({"Bruck", [](Pattern& one, Rank) { doubling_distances(one, false); }});
  all.push_back({"pairwise", [](Pattern& one, Rank) { all_pairs(one); }});
  all.push_back({"neighbour exchange", [](Pattern& one, Rank) { neighbours(one); }});
  all.push_back({"scatter and ring",
                 [](Pattern& one, Rank root) {
                   send_along(one, binomial, root, false, true);
                   ring(one, one.size() - 1);
                 },
                 true});
  all.push_back({"scatter and recursive doubling",
                 [](Pattern& one, Rank root) {
                   if (!std::has_single_bit(one.size())) return;
                   send_along(one, binomial, root, false, true);
                   hypercube(one, 1, Kept::odd);
                 },
                 true});
  return all;
}

}  // namespace

std::string algorithm_of(std::uint32_t size, std::uint64_t calls, std::vector<SentMessages> const& sent) {
  static std::vector<Algorithm> const algorithms = make_algorithms();
  std::vector<std::string_view> names;
  if (size < 2 || size > most_ranks_of_algorithm || calls == 0 || sent.empty()) return "unknown";
  if (size == 2) return sent.size() == 1 ? "one message" : "exchange";
  constexpr Rank most_roots = 64;
  for (Algorithm const& one : algorithms) {
    if (std::ranges::find(names, one.name) != names.end()) continue;
    for (Rank root = 0; root < (one.has_root ? std::min(size, most_roots) : 1); ++root) {
      Pattern pattern(size);
      one.play(pattern, root);
      if (!pattern.matches(calls, sent, one.in_segments)) continue;
      names.push_back(one.name);
      break;
    }
  }
  if (names.empty()) return "unknown";
  std::string joined(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) joined.append(" or ").append(names[i]);
  return joined;
}

}  // namespace mpisee_through
