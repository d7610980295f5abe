#include "summary/algorithms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "summary/operation_kind.hpp"

namespace mpisee_through {
namespace {

using Rank = std::uint32_t;  // in the communicator
using Count = std::uint64_t;

// Operations as bits of a set.
using Operations = unsigned;
constexpr Operations barrier = 1, bcast = 2, gather = 4, scatter = 8, allgather = 16, alltoall = 32, reduce = 64,
                     allreduce = 128, reduce_scatter = 256, scan = 512;

// By the beginning of the blocking form. The first one that fits counts.
constexpr std::pair<std::string_view, Operations> operations_by_name[]{
    {"Barrier", barrier},     {"Bcast", bcast},         {"Gather", gather},
    {"Scatter", scatter},     {"Allgather", allgather}, {"Alltoall", alltoall},
    {"Allreduce", allreduce}, {"Scan", scan},           {"Reduce_scatter", reduce_scatter},
    {"Reduce", reduce},       {"Exscan", scan}};

// What the messages among some ranks look like.
struct Shape {
  Count ranks;
  std::vector<std::pair<Rank, Rank>> pairs{};   // from one rank to another, by their places in the group; ascending
  Count both_ways = 0, between_neighbours = 0;  // of these pairs
  Count messages = 0;                           // in a call
};

// Without pairs if the calls differ. group: ascending. sent: ascending; a message from the group is to one of it.
Shape shape_of(std::vector<Rank> const& group, Count calls, std::vector<SentMessages> const& sent) {
  Shape shape{.ranks = group.size()};
  auto const place_of = [&](Rank rank) {
    return static_cast<Rank>(std::ranges::lower_bound(group, rank) - group.begin());
  };
  for (SentMessages const& one : sent) {
    if (!std::ranges::binary_search(group, one.from)) continue;
    auto const [from, to] = shape.pairs.emplace_back(place_of(one.from), place_of(one.to));
    shape.messages += one.messages;
    if ((from + 1) % shape.ranks == to || (to + 1) % shape.ranks == from) ++shape.between_neighbours;
    if (std::ranges::binary_search(sent, std::pair(one.to, one.from), {}, &SentMessages::ends)) ++shape.both_ways;
  }
  if (shape.messages % calls != 0) shape.pairs.clear();
  shape.messages /= calls;
  return shape;
}

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

std::vector<Tree> all_trees() {
  constexpr Rank most_children = 8;  // at one level, or chains
  std::vector<Tree> trees{{"flat", [](Rank, Rank, Rank) { return Rank{0}; }},
                          {"chain", [](Rank rank, Rank, Rank) { return rank - 1; }},
                          {"binomial tree", [](Rank rank, Rank, Rank) { return rank & (rank - 1); }},
                          {"binomial tree", [](Rank rank, Rank, Rank) { return rank - std::bit_floor(rank); }},
                          {"binary tree", in_binary}};
  for (Rank k = 3; k <= most_children; ++k) trees.push_back({"k-nomial tree", without_lowest_digit, k});
  for (Rank number = 2; number <= most_children; ++number) trees.push_back({"several chains", in_chains, number});
  return trees;
}

// Whether data goes along the tree up to any of the first ranks, down from it, or both, in one or more pieces.
bool goes_along(Tree const& tree, Shape const& shape, Operations operations) {
  constexpr Rank most_roots = 64;
  bool const is_both = (operations & (barrier | allgather | allreduce | reduce_scatter)) != 0;
  bool const is_up = is_both || (operations & (gather | reduce)) != 0;
  bool const is_down = is_both || (operations & (bcast | scatter)) != 0 || (operations == scan && tree.name == "chain");
  auto const size = static_cast<Rank>(shape.ranks);
  if (shape.pairs.size() != (size - 1) * ((is_up ? 1U : 0U) + (is_down ? 1U : 0U))) return false;
  auto const has = [&](Rank from, Rank to) { return std::ranges::binary_search(shape.pairs, std::pair(from, to)); };
  auto const has_root = [&](Rank root) {
    for (Rank rank = 1; rank < size; ++rank) {
      Rank const child = (rank + root) % size, above = (tree.parent(rank, size, tree.degree) + root) % size;
      if ((is_up && !has(child, above)) || (is_down && !has(above, child))) return false;
    }
    return shape.messages % shape.pairs.size() == 0;
  };
  Rank root = 0;
  while (root < std::min(size, most_roots) && !has_root(root)) ++root;
  return root < std::min(size, most_roots);
}

// Algorithms that are no trees. One pattern may have another name for another operation.
struct Pattern {
  enum class Ways { any, both, not_all_both };

  std::string_view name;
  Operations operations;
  Count pairs, messages;
  Ways ways = Ways::any;
  Count pieces = 0;  // messages that may be sent in several pieces, all in equally many; in addition to the others
  bool is_of_neighbours = false;

  [[nodiscard]] bool matches(Shape const& shape) const {
    bool const are_both = shape.both_ways == shape.pairs.size(),
               are_near = shape.between_neighbours == shape.pairs.size();
    bool const has_ways = ways == Ways::any || (ways == Ways::both) == are_both;
    // Three ranks are neighbours of each other.
    bool const fits = shape.ranks <= 3 || (has_ways && is_of_neighbours == are_near);
    bool const has_messages = pieces == 0 ? shape.messages == messages
                                          : shape.messages > messages && (shape.messages - messages) % pieces == 0;
    return shape.pairs.size() == pairs && fits && has_messages;
  }
};

// The patterns on this number of ranks, always in the same order.
std::vector<Pattern> patterns_on(Count ranks) {
  using enum Pattern::Ways;
  // The largest power of two of the ranks exchange with those that differ in one bit; each further one gives its data
  // to one of them, and gets the result.
  Count const part = std::bit_floor(ranks), rest = ranks - part, bits = std::bit_width(part) - 1U, cube = part * bits,
              steps = ranks * (bits + (rest > 0 ? 1 : 0)), others = ranks - 1;
  // Without a part for the rest: pairs of ranks that differ in one bit, and the messages if ranks without a partner get
  // what they lack from others.
  Count existing = 0, doubling = 0;
  for (Count bit = 1; bit < ranks; bit *= 2) {
    existing += ranks / (2 * bit) * 2 * bit + 2 * std::max(ranks % (2 * bit), bit) - 2 * bit;
    Count const blocks = (ranks + bit - 1) / bit;
    doubling += blocks % 2 == 0 ? ranks : (blocks - 1) * bit;
  }
  Count const with_result = existing + (std::has_single_bit(others) ? 0 : 1);
  Count const reversed = part - (Count{1} << (bits + 1) / 2);  // ranks whose bits in reverse order are another one's
  Count const of_butterfly = cube + 2 * rest + reversed, all = ranks * others;
  return {{"flat with synchronisation", gather, 2 * others, 3 * others, both},
          {"in-order binary tree", reduce, ranks, 1, any, others},  // its last rank sends the result to the root
          {"split binary tree", bcast, 2 * others, others, not_all_both, others},
          {"recursive doubling", barrier | allgather | allreduce, cube + 2 * rest, cube + 2 * rest, both},
          {"recursive halving", reduce_scatter, cube + 2 * rest, cube + 2 * rest, both},
          {"recursive doubling", allgather | reduce_scatter, existing, doubling, both},
          {"recursive doubling", scan, existing, existing, both},
          {"recursive doubling", scan, with_result, existing + 1},  // the last rank sends the result to the first one
          {"recursive doubling and tree", scan, with_result, existing + 1 + others},
          {"butterfly", reduce_scatter, of_butterfly, of_butterfly},
          {"halving and doubling", allreduce, cube + 2 * rest, 2 * cube + 2 * rest, both},
          {"halving and doubling", allreduce, cube + 2 * rest, 2 * cube + 4 * rest, both},
          {"halving and gather", reduce, cube + rest, cube + rest + part - 1},
          {"halving and gather", reduce, cube + rest + 1 + bits, cube + rest + part},  // to one of the rest
          {"halving and gather", reduce, cube + 2 * rest, cube + 3 * rest + part - 1},
          {"ring", allgather | allreduce | reduce_scatter, ranks, 0, not_all_both, all, true},
          {"double ring", barrier, ranks, 2 * ranks, not_all_both, 0, true},
          {"Bruck", allgather | alltoall, steps, steps, not_all_both},
          {"dissemination", barrier, steps, steps, not_all_both},
          {"dissemination and tree", barrier, steps, steps + others, not_all_both},
          {"pairwise", allgather | alltoall | reduce_scatter, all, all, both},
          {"linear", allgather | alltoall, all, all, both},
          {"neighbour exchange", allgather, ranks % 2 == 0 ? 2 * ranks : 0, ranks * ranks / 2, both, 0, true},
          {"scatter and ring", bcast, ranks + others - ranks / 2, others + all},
          {"scatter and recursive doubling", bcast, existing, doubling + others, both}};
}

// Two ranks have no algorithm to choose. sent: ascending.
std::string name_of_two(std::vector<SentMessages> const& sent) {
  bool const goes_both_ways = std::ranges::any_of(sent, [&](SentMessages const& one) {
    return std::ranges::binary_search(sent, std::pair(one.to, one.from), {}, &SentMessages::ends);
  });
  return goes_both_ways ? "exchange" : "one message";
}

// All algorithms whose messages were sent in each group; empty if there are none. Groups of ranks do the same at a
// time: all ranks, those of each host, or one of each.
std::string names_of(Operations operations, std::vector<std::vector<Rank>> const& groups, Count calls,
                     std::vector<SentMessages> const& sent) {
  static std::vector<Tree> const trees = all_trees();
  std::vector<Shape> shapes;
  std::vector<std::vector<Pattern>> patterns;  // of each shape
  Count largest = 0;
  for (std::vector<Rank> const& group : groups) {
    if (group.size() < 2) continue;
    Shape const& shape = shapes.emplace_back(shape_of(group, calls, sent));
    if (shape.pairs.empty()) return "";
    largest = std::max(largest, shape.ranks);
    patterns.push_back(patterns_on(shape.ranks));
  }
  std::vector<std::string_view> names;
  auto const add = [&](std::string_view name, bool matches) {
    if (matches && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (Tree const& tree : trees)
    add(tree.name, largest >= tree.degree + 2 && std::ranges::all_of(shapes, [&](Shape const& shape) {
                     return goes_along(tree, shape, operations);
                   }));
  for (std::size_t one = 0; !shapes.empty() && one < patterns.front().size(); ++one) {
    Pattern const& pattern = patterns.front()[one];
    bool matches = (pattern.operations & operations) != 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) matches = matches && patterns[i][one].matches(shapes[i]);
    add(pattern.name, matches);
  }
  return largest == 2 && !names.empty() ? name_of_two(sent) : fmt::format("{}", fmt::join(names, " or "));
}

// An algorithm among the ranks of each host, and one among the first ranks of all hosts; empty if there are none.
std::string names_of_both(Operations operations, std::vector<Rank> const& host_of_rank, Count calls,
                          std::vector<SentMessages> const& sent) {
  std::map<Rank, std::vector<Rank>> ranks_of_host;
  for (Rank rank = 0; rank < host_of_rank.size(); ++rank) ranks_of_host[host_of_rank[rank]].push_back(rank);
  if (ranks_of_host.size() < 2 || ranks_of_host.size() == host_of_rank.size()) return "";
  std::vector<std::vector<Rank>> hosts, first_ranks(1);
  for (auto const& [host, ranks] : ranks_of_host) {
    hosts.push_back(ranks);
    first_ranks.front().push_back(ranks.front());
  }
  std::ranges::sort(first_ranks.front());
  std::vector<SentMessages> within, between;
  for (SentMessages const& one : sent)
    (host_of_rank[one.from] == host_of_rank[one.to] ? within : between).push_back(one);
  auto const is_first = [&](Rank rank) { return std::ranges::binary_search(first_ranks.front(), rank); };
  if (!std::ranges::all_of(between, [&](auto const& one) { return is_first(one.from) && is_first(one.to); })) return "";
  std::string const inside = names_of(operations, hosts, calls, within),
                    outside = names_of(operations, first_ranks, calls, between);
  return inside.empty() || outside.empty() ? "" : inside + " within hosts, " + outside + " between them";
}

struct CallEnds {
  std::pair<CommunicatorIndex, OperationIndex> call;
  SizeBin size;  // of the calls
  WorldRank from, to;
  auto operator<=>(CallEnds const&) const = default;
};
using SentSums = std::vector<SortedSums<CallEnds, Amount>::Entry>;
using Sent = std::span<SentSums::value_type const>;

// Cuts the sums where the part of the key changes.
template <class Part>
std::vector<Sent> cut(Sent all, Part part) {
  std::vector<Sent> pieces;
  for (auto first = all.begin(); first != all.end();) {
    auto const last =
        std::find_if(first, all.end(), [&](auto const& one) { return part(one.key) != part(first->key); });
    pieces.emplace_back(first, last);
    first = last;
  }
  return pieces;
}

// The calls of an operation on a communicator, of all sizes.
class CallsOfOperation {
 public:
  CallsOfOperation(Summary const& summary, std::span<Cell const> sizes)
      : communicator_(summary.communicator(sizes.front().communicator)),
        sizes_(sizes),
        name_(summary.name_of(sizes.front().operation)) {
    for (Cell const& one : sizes_) totals_ += one.totals;
    auto const set = RankSet::parse(communicator_.members);
    auto members = set ? set->numbers() : std::nullopt;
    if (members && members->size() == communicator_.size && communicator_.ranks == communicator_.size)
      members_ = *std::move(members);
    for (std::int32_t const rank : members_)
      hosts_.push_back(static_cast<std::uint32_t>(summary.host_of_rank[static_cast<std::size_t>(rank)]));
  }

  // sent: ascending by size.
  [[nodiscard]] std::vector<AlgorithmSummary> algorithms(Sent sent) const {
    std::vector<AlgorithmSummary> by_size;
    auto const pieces = cut(sent, [](CallEnds const& one) { return one.size; });
    for (Sent const one : pieces) by_size.push_back(of_size(one.front().key.size, one, pieces.size() == 1));
    if (std::ranges::all_of(by_size, [](auto const& one) { return one.algorithm == "unknown"; })) {
      AlgorithmSummary together = all_sizes(sent);
      if (together.algorithm != "unknown") return {std::move(together)};
    }
    return by_size;
  }

  [[nodiscard]] Seconds time_s() const { return totals_.time_s; }

 private:
  [[nodiscard]] AlgorithmSummary of_size(SizeBin size, Sent sent, bool is_only_one) const {
    auto const found = std::ranges::find(sizes_, size, &Cell::size);
    if (found == sizes_.end()) return named(size, {}, 0, sent);
    // The root of a broadcast counts no bytes, nor does the last rank of a scan.
    std::uint64_t const ranks = found->spread.ranks;
    bool const has_all = ranks + 1 >= communicator_.ranks && found->totals.calls % ranks == 0;
    return named(size, is_only_one && ranks < communicator_.ranks ? totals_ : found->totals,
                 has_all ? found->totals.calls / ranks : 0, sent);
  }
  [[nodiscard]] AlgorithmSummary all_sizes(Sent sent) const {
    std::uint64_t const ranks = std::max<std::uint64_t>(communicator_.ranks, 1);
    SizeBin const sizes{sizes_.front().size.min_bytes, sizes_.back().size.max_bytes};
    return named(sizes, totals_, totals_.calls % ranks == 0 ? totals_.calls / ranks : 0, sent);
  }
  [[nodiscard]] AlgorithmSummary named(SizeBin sizes, Totals const& totals, std::uint64_t calls, Sent sent) const {
    Cell const& first = sizes_.front();
    AlgorithmSummary one{first.communicator, first.operation, sizes, totals, calls, name_of(calls, sent), {}};
    for (auto const& [key, amount] : sent) one.sent += amount;
    return one;
  }
  // Ranks are those in the communicator, in place of the world's. The profile lists members in the order of the world,
  // so a communicator with another order gets wrong ranks, and its messages match no pattern but the ring.
  [[nodiscard]] std::string name_of(std::uint64_t calls, Sent sent) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> messages;  // of all sizes in `sent`
    for (auto const& [key, amount] : sent) {
      std::uint32_t ends[2];
      for (auto const& [end, rank] : {std::pair(&ends[0], key.from), std::pair(&ends[1], key.to)}) {
        auto const found = std::ranges::lower_bound(members_, static_cast<std::int32_t>(rank));
        if (found == members_.end() || *found != static_cast<std::int32_t>(rank)) return "unknown";
        *end = static_cast<std::uint32_t>(found - members_.begin());
      }
      if (ends[0] != ends[1]) messages[{ends[0], ends[1]}] += amount.messages;
    }
    std::vector<SentMessages> list;
    for (auto const& [ends, number] : messages) list.push_back({ends.first, ends.second, number});
    return algorithm_of(name_, hosts_, calls, list);
  }

  CommunicatorSummary const& communicator_;
  std::span<Cell const> sizes_;
  std::string_view name_;              // of the operation
  std::vector<std::int32_t> members_;  // ascending; empty if unknown
  std::vector<std::uint32_t> hosts_;   // of the members
  Totals totals_;
};

}  // namespace

std::string algorithm_of(std::string_view operation, std::vector<std::uint32_t> const& host_of_rank,
                         std::uint64_t calls, std::vector<SentMessages> const& sent) {
  std::string const form = blocking_form(operation);
  auto const known =
      std::ranges::find_if(operations_by_name, [&](auto const& one) { return form.starts_with(one.first); });
  if (host_of_rank.size() < 2 || calls == 0 || sent.empty()) return "unknown";
  if (host_of_rank.size() == 2) return name_of_two(sent);
  if (known == std::ranges::end(operations_by_name)) return "unknown";
  std::vector<std::vector<Rank>> all(1, std::vector<Rank>(host_of_rank.size()));
  std::iota(all.front().begin(), all.front().end(), Rank{0});
  std::string names = names_of(known->second, all, calls, sent);
  if (names.empty()) names = names_of_both(known->second, host_of_rank, calls, sent);
  return names.empty() ? "unknown" : names;
}

std::vector<AlgorithmSummary> read_algorithms(Profile const& profile, Selection const& selection,
                                              Summary const& summary) {
  Cells const& sizes = summary.cells(by_comm | by_op | by_size);
  CallFinder const finder(summary, sizes);
  auto const ends_of = [&](PeerRow const& row) -> std::optional<CallEnds> {
    if (row.traffic_class != TrafficClass::internal || row.from == other_world || row.to == other_world) return {};
    auto const found = finder.find(row.communicator, row.operation);
    if (found.empty()) return {};
    Cell const& call = found.front();
    if (summary.communicator(call.communicator).instances != 1 ||
        kind_of(summary.name_of(call.operation)) != OperationKind::collective)
      return {};
    // Profiles of 1.0.0 lack the size of the calls.
    SizeBin const size{row.call_size_min.value_or(0), row.call_size_max.value_or(UINT64_MAX)};
    return CallEnds{{call.communicator, call.operation}, size, row.from, row.to};
  };
  Selection internal = selection;
  internal.classes = {TrafficClass::internal};
  SentSums const sums =
      group_messages(profile, internal, Grouping(ends_of, amount_of<PeerRow>, SortedSums<CallEnds, Amount>())).take();
  std::vector<std::pair<Seconds, std::vector<AlgorithmSummary>>> by_operation;
  for (Sent const sent : cut(sums, [](CallEnds const& one) { return one.call; })) {
    auto const [communicator, operation] = sent.front().key.call;
    CallsOfOperation const calls(summary, cells_of(sizes, communicator, operation));
    by_operation.emplace_back(calls.time_s(), calls.algorithms(sent));
  }
  std::ranges::stable_sort(by_operation, std::greater(), [](auto const& one) { return one.first; });
  std::vector<AlgorithmSummary> all;
  for (auto& [time_s, algorithms] : by_operation) std::ranges::move(algorithms, std::back_inserter(all));
  return all;
}

}  // namespace mpisee_through
