#include "summary/algorithms.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "summary/algorithm_patterns.hpp"

namespace mpisee_through {
namespace {

// Names in the order of the lists, each once.
using NameList = std::vector<std::string_view>;
void add_name(NameList& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// Groups of ranks that do the same at a time, each in ascending order: all ranks, those of each host, or one of each.
using Groups = std::vector<std::vector<Rank>>;

Rank size_of_largest(Groups const& groups) {
  return static_cast<Rank>(std::ranges::max_element(groups, {}, &std::vector<Rank>::size)->size());
}

// play(pattern): the messages of a group.
template <class Play>
bool is_sent(Groups const& groups, std::uint64_t calls, std::vector<SentMessages> const& sent, Play&& play) {
  Pattern pattern(sent);
  for (std::vector<Rank> const& group : groups) {
    pattern.begin(group);
    play(pattern);
  }
  return pattern.matches(calls);
}

// sent: the messages of one call or of several, to one root.
NameList trees_of(Groups const& groups, std::uint64_t calls, std::vector<SentMessages> const& sent, Rank root,
                  Way way) {
  Rank const size = size_of_largest(groups);
  NameList names;
  for (Tree const& tree : trees()) {
    if (size < tree.degree + 2) continue;  // all children of the root: a flat tree
    auto const play = [&](Pattern& pattern) { send_along(pattern, tree, root, way, Pieces::several); };
    if (is_sent(groups, calls, sent, play)) add_name(names, tree.name);
  }
  return names;
}

// Up a tree to rank 0, and down one, which may be another.
NameList trees_both_ways(Groups const& groups, std::uint64_t calls, std::vector<SentMessages> const& sent) {
  std::vector<SentMessages> up, down;
  for (SentMessages const& one : sent) (one.from > one.to ? up : down).push_back(one);
  NameList const names_up = trees_of(groups, calls, up, 0, Way::up),
                 names_down = trees_of(groups, calls, down, 0, Way::down);
  NameList both;
  for (std::string_view const name : names_up)
    if (std::ranges::find(names_down, name) != names_down.end()) both.push_back(name);
  if (both.empty() && !names_up.empty() && !names_down.empty()) both.emplace_back("two trees");
  return both;
}

void add_trees(NameList& names, Operations operation, Groups const& groups, std::uint64_t calls,
               std::vector<SentMessages> const& sent, Rank root) {
  auto const add = [&](NameList const& more) {
    for (std::string_view const name : more) add_name(names, name);
  };
  if ((operation & (for_op::gather | for_op::reduce)) != 0) add(trees_of(groups, calls, sent, root, Way::up));
  if ((operation & (for_op::bcast | for_op::scatter)) != 0) add(trees_of(groups, calls, sent, root, Way::down));
  if ((operation & for_op::both_ways) != 0) add(trees_both_ways(groups, calls, sent));
  if ((operation & for_op::scan) != 0)
    for (std::string_view const name : trees_of(groups, calls, sent, root, Way::down))
      if (name == "chain") add_name(names, name);
}

void add_others(NameList& names, Operations operations, Groups const& groups, std::uint64_t calls,
                std::vector<SentMessages> const& sent, Rank root) {
  for (Algorithm const& one : other_than_trees())
    if ((one.operations & operations) != 0 &&
        is_sent(groups, calls, sent, [&](Pattern& pattern) { one.play(pattern, root); }))
      add_name(names, one.name);
}

std::string joined(NameList const& names) {
  std::string all;
  for (std::string_view const name : names) all.append(all.empty() ? "" : " or ").append(name);
  return all;
}

// All algorithms whose messages were sent, from any of the first ranks as the root; empty if there are none.
std::string names_of(Operations operations, Groups const& groups, std::uint64_t calls,
                     std::vector<SentMessages> const& sent) {
  constexpr Rank most_roots = 64;
  bool const has_roots = (operations & for_op::with_root) != 0 && groups.size() == 1;
  NameList names;
  for (Rank root = 0; root < (has_roots ? std::min(size_of_largest(groups), most_roots) : 1); ++root) {
    add_trees(names, operations, groups, calls, sent, root);
    add_others(names, operations, groups, calls, sent, root);
  }
  return joined(names);
}

// Two ranks have no algorithm to choose. sent: ascending.
std::string name_of_two(std::vector<SentMessages> const& sent) {
  bool const goes_both_ways = std::ranges::any_of(sent, [&](SentMessages const& one) {
    return std::ranges::binary_search(sent, std::pair(one.to, one.from), {},
                                      [](SentMessages const& other) { return std::pair(other.from, other.to); });
  });
  return goes_both_ways ? "exchange" : "one message";
}
std::string unless_two(std::string names, Groups const& groups, std::vector<SentMessages> const& sent) {
  return names.empty() || size_of_largest(groups) > 2 ? std::move(names) : name_of_two(sent);
}

std::string names_within_hosts(Operations operations, Groups const& hosts, std::uint64_t calls,
                               std::vector<SentMessages> const& sent) {
  if ((operations & for_op::scan) != 0)
    for (int const in_first_host : {0, 1}) {
      int trees = in_first_host;
      auto const play = [&](Pattern& pattern) {
        scan_within_host(pattern, trees);
        trees = in_first_host + 1;
      };
      if (is_sent(hosts, calls, sent, play)) return "recursive doubling and tree";
    }
  return names_of(operations, hosts, calls, sent);
}
std::string names_between_hosts(Operations operations, Groups const& first_ranks, std::uint64_t calls,
                                std::vector<SentMessages> const& sent) {
  if ((operations & for_op::scan) != 0 && is_sent(first_ranks, calls, sent, scan_between_hosts))
    return "recursive doubling";
  return names_of(operations, first_ranks, calls, sent);
}

Groups ranks_of_hosts(std::vector<Rank> const& host_of_rank) {
  std::map<Rank, std::vector<Rank>> ranks_of_host;
  for (Rank rank = 0; rank < host_of_rank.size(); ++rank) ranks_of_host[host_of_rank[rank]].push_back(rank);
  Groups hosts;
  for (auto& [host, ranks] : ranks_of_host) hosts.push_back(std::move(ranks));
  std::ranges::sort(hosts);
  return hosts;
}

// An algorithm among the ranks of each host, and one among the first ranks of all hosts; empty if there are none.
std::string names_of_both(Operations operations, std::vector<Rank> const& host_of_rank, std::uint64_t calls,
                          std::vector<SentMessages> const& sent) {
  Groups const hosts = ranks_of_hosts(host_of_rank);
  if (hosts.size() < 2 || hosts.size() == host_of_rank.size()) return "";
  Groups first_ranks(1);
  for (std::vector<Rank> const& ranks : hosts) first_ranks.front().push_back(ranks.front());
  std::vector<SentMessages> within, between;
  for (SentMessages const& one : sent)
    (host_of_rank[one.from] == host_of_rank[one.to] ? within : between).push_back(one);
  auto const is_first = [&](Rank rank) { return std::ranges::binary_search(first_ranks.front(), rank); };
  for (SentMessages const& one : between)
    if (!is_first(one.from) || !is_first(one.to)) return "";
  std::string inside = unless_two(names_within_hosts(operations, hosts, calls, within), hosts, within);
  if (inside.empty()) return "";
  std::string const outside =
      unless_two(names_between_hosts(operations, first_ranks, calls, between), first_ranks, between);
  return outside.empty() ? "" : inside.append(words_within).append(outside).append(words_between);
}

}  // namespace

std::string algorithm_of(std::string_view operation, std::vector<std::uint32_t> const& host_of_rank,
                         std::uint64_t calls, std::vector<SentMessages> const& sent) {
  auto const size = static_cast<Rank>(host_of_rank.size());
  if (size < 2 || size > most_ranks_of_algorithm || calls == 0 || sent.empty()) return "unknown";
  if (size == 2) return name_of_two(sent);
  Operations const operations = operations_of(operation);
  Groups all(1, std::vector<Rank>(size));
  std::iota(all.front().begin(), all.front().end(), Rank{0});
  std::string names = names_of(operations, all, calls, sent);
  if (names.empty()) names = names_of_both(operations, host_of_rank, calls, sent);
  return names.empty() ? "unknown" : names;
}

}  // namespace mpisee_through
