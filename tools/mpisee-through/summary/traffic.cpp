#include "summary/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "files/visible_text.hpp"
#include "summary/collective_messages.hpp"
#include "summary/group_by.hpp"
#include "summary/message_rows.hpp"
#include "summary/operation_kind.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

struct Ends {
  WorldRank from;
  WorldRank to;
  auto operator<=>(Ends const&) const = default;
};

struct SizedEnds {
  Ends ends;
  SizeBin size;
  auto operator<=>(SizedEnds const&) const = default;
};

using PairAmounts = SortedSums<Ends, Amount>;

template <class Row>
auto by_class() {
  return Grouping(&Row::traffic_class, amount_of<Row>, IndexedSums<classes_with_estimate.size(), Amount>());
}

void add_classes(MessageSums& sums, std::array<Amount, classes_with_estimate.size()> const& by_class) {
  sums.by_class = by_class;
  for (Amount const& amount : by_class) sums.total += amount;
}

std::vector<PairTraffic> pairs_of(std::vector<PairAmounts::Entry> const& sums) {
  std::vector<PairTraffic> pairs;
  pairs.reserve(sums.size());
  for (auto const& [ends, amount] : sums) pairs.push_back({ends.from, ends.to, amount});
  return pairs;
}

MessagesByOrigin add_up_messages(Profile const& profile, Selection const& selection, bool has_sizes,
                                 Overview const& overview) {
  auto const are_on_one_host = [&overview](PeerRow const& row) {
    if (row.from == other_world || row.to == other_world) return false;
    auto const host = [&](WorldRank rank) { return overview.host_of_rank[static_cast<std::size_t>(rank)]; };
    return host(row.from) == host(row.to);
  };
  // The MPI library sends internal messages for collective operations.
  auto const ends_if = [](bool is_internal) {
    return [is_internal](PeerRow const& row) {
      bool const is_wanted = (row.traffic_class == TrafficClass::internal) == is_internal;
      return is_wanted ? std::optional(Ends{row.from, row.to}) : std::nullopt;
    };
  };
  auto const sized_ends = [has_sizes](PeerRow const& row) {
    return has_sizes ? std::optional(SizedEnds{{row.from, row.to}, row.size}) : std::nullopt;
  };
  auto const amount = amount_of<PeerRow>;
  auto [classes, by_host, program_sums, internal_sums, sizes] = group_messages(
      profile, selection, by_class<PeerRow>(), Grouping(are_on_one_host, amount, IndexedSums<2, Amount>()),
      Grouping(ends_if(false), amount, PairAmounts()), Grouping(ends_if(true), amount, PairAmounts()),
      Grouping(sized_ends, amount, SortedSums<SizedEnds, Amount>()));
  MessagesByOrigin messages;
  add_classes(messages.all, classes.all());
  messages.all.within_hosts = by_host[true];
  for (auto const& [key, sum] : sizes.take()) messages.all.sizes.push_back({key.ends.from, key.ends.to, key.size, sum});
  auto const of_program = program_sums.take(), internal = internal_sums.take();
  if (internal.empty()) {
    messages.all.pairs = pairs_of(of_program);
    return messages;
  }
  MessageSums& without = messages.without_internal.emplace();
  without.pairs = pairs_of(of_program);
  for (PairTraffic const& pair : without.pairs) without.total += pair.amount;
  PairAmounts all;
  for (auto const* some : {&of_program, &internal})
    for (auto const& [ends, sum] : *some) all.add(ends, sum);
  messages.all.pairs = pairs_of(all.take());
  return messages;
}

}  // namespace

Amount& Amount::operator+=(Amount const& other) {
  messages += other.messages;
  bytes += other.bytes;
  return *this;
}

namespace {

Traffic begin_traffic(Profile const& profile, Selection const& selection, bool has_sizes) {
  Traffic traffic;
  static_cast<Overview&>(traffic) = read_overview(profile, selection);
  traffic.has_sizes = has_sizes;
  traffic.seen_by_transport = read_seen_by_transport(profile);
  traffic.bytes_given_for_each = read_bytes_given_for_each(profile);
  return traffic;
}

}  // namespace

Traffic add_up_traffic(Profile const& profile, Selection const& selection, bool has_sizes) {
  Traffic traffic = begin_traffic(profile, selection, has_sizes);
  static_cast<MessageSums&>(traffic) = add_up_messages(profile, selection, has_sizes, traffic).all;
  traffic.bytes_sent = read_bytes_sent(profile, selection);
  traffic.has_estimate = has_estimate(selection);
  traffic.without_estimate = read_bytes_without_estimate(profile, selection);
  return traffic;
}

namespace {

// Replaces the ends of pairs by their hosts.
void fold_into_hosts(Traffic& traffic) {
  auto const host_of = [&](WorldRank rank) {
    return rank == other_world ? other_world
                               : static_cast<WorldRank>(traffic.host_of_rank[static_cast<std::size_t>(rank)]);
  };
  PairAmounts pairs;
  SortedSums<SizedEnds, Amount> sizes;
  for (PairTraffic const& pair : traffic.pairs) pairs.add({host_of(pair.from), host_of(pair.to)}, pair.amount);
  for (SizedTraffic const& one : traffic.sizes) sizes.add({{host_of(one.from), host_of(one.to)}, one.size}, one.amount);
  traffic.pairs = pairs_of(pairs.take());
  traffic.sizes.clear();
  for (auto const& [key, amount] : sizes.take())
    traffic.sizes.push_back({key.ends.from, key.ends.to, key.size, amount});
}

// Reads the sums by host that the profile has.
void read_host_pairs(Profile const& profile, Selection const& selection, Traffic& traffic) {
  std::map<std::string, WorldRank, std::less<>> hosts{{"", other_world}};
  for (std::string const& name : traffic.host_names)
    hosts.emplace(name, static_cast<WorldRank>(&name - traffic.host_names.data()));
  auto const find = [&hosts, known = Memo<WorldRank>()](std::string_view host) mutable {
    return known.get(host, [&] {
      auto const found = hosts.find(visible(host));
      if (found == hosts.end()) throw RowProblem(fmt::format("\"{}\" is a host of no rank", visible(host)));
      return found->second;
    });
  };
  auto const is_unknown = [](HostPairRow const& row) { return row.from == commprof::schema::several; };
  auto const ends = [is_unknown, from = find, to = find](HostPairRow const& row) mutable {
    return is_unknown(row) ? std::nullopt : std::optional(Ends{from(row.from), to(row.to)});
  };
  Where const has_class([&](HostPairRow const& row) { return selection.selects(row.traffic_class); });
  auto const amount = amount_of<HostPairRow>;
  auto [classes, unknown, pairs] = group_by<HostPairRow>(profile, has_class, by_class<HostPairRow>(),
                                                         Grouping(is_unknown, amount, IndexedSums<2, Amount>()),
                                                         Grouping(ends, amount, PairAmounts()));
  add_classes(traffic, classes.all());
  traffic.of_unknown_hosts = unknown[true];
  traffic.pairs = pairs_of(pairs.take());
  for (PairTraffic const& pair : traffic.pairs)
    if (pair.from == pair.to) traffic.within_hosts += pair.amount;
}

}  // namespace

Traffic add_up_traffic_by_host(Profile const& profile, Selection const& selection, bool has_sizes) {
  bool const has_sums = !has_sizes && !has_estimate(selection) && selection.selects_all_but_classes();
  if (has_rows_of(profile.run(), selection) || !has_sums) {
    require_rows(profile, selection, "a part of --by host");
    Traffic traffic = add_up_traffic(profile, selection, has_sizes);
    fold_into_hosts(traffic);
    traffic.is_by_host = true;
    return traffic;
  }
  Traffic traffic = begin_traffic(profile, selection, has_sizes);
  traffic.is_by_host = true;
  read_host_pairs(profile, selection, traffic);
  return traffic;
}

MessagesByOrigin add_up_messages(Profile const& profile, Selection const& selection, Overview const& overview) {
  return add_up_messages(profile, selection, false, overview);
}

std::vector<std::size_t> busiest_pairs(MessageSums const& traffic, Measure measure) {
  struct Place {
    std::uint64_t amount;
    std::size_t pair;
  };
  std::vector<Place> places;  // includes the amounts: looking them up by index while sorting would miss the cache
  places.reserve(traffic.pairs.size());
  for (PairTraffic const& pair : traffic.pairs) places.push_back({pair.amount.of(measure), places.size()});
  std::ranges::sort(places, [](Place const& left, Place const& right) {
    return left.amount != right.amount ? left.amount > right.amount : left.pair < right.pair;
  });
  std::vector<std::size_t> order;
  order.reserve(places.size());
  for (Place const& place : places) order.push_back(place.pair);
  return order;
}

std::vector<SizeAmount> sizes_of_all(MessageSums const& traffic) {
  std::map<SizeBin, Amount> sums;
  for (SizedTraffic const& one : traffic.sizes) sums[one.size] += one.amount;
  std::vector<SizeAmount> sizes;
  for (auto const& [size, amount] : sums) sizes.push_back({size, amount});
  return sizes;
}

std::vector<SizeAmount> sizes_of(MessageSums const& traffic, PairTraffic const& pair) {
  Ends const ends{pair.from, pair.to};
  auto const ends_of = [](SizedTraffic const& one) { return Ends{one.from, one.to}; };
  std::vector<SizeAmount> sizes;
  for (auto one = std::ranges::lower_bound(traffic.sizes, ends, {}, ends_of);
       one != traffic.sizes.end() && ends_of(*one) == ends; ++one)
    sizes.push_back({one->size, one->amount});
  return sizes;
}

std::uint64_t bytes_sent(Summary const& summary) {
  std::uint64_t sent = bytes_of_collectives(summary);
  for (Cell const& one : summary.operations())
    if (!direction_of(summary.name_of(one.operation))) sent += one.totals.bytes_sent;
  return sent;
}

bool are_part_of_bytes_sent(Profile const& profile, Selection const& selection) {
  bool const has_collectives =
      std::ranges::any_of(selection.classes, [](TrafficClass one) { return one >= TrafficClass::internal; });
  bool const has_messages =
      selection.classes.empty() || std::ranges::find(selection.classes, TrafficClass::p2p) != selection.classes.end();
  return !profile.run().has_only_sums() && selection.selects_all_but_classes() && has_messages && !has_collectives;
}

std::optional<std::uint64_t> read_bytes_sent(Profile const& profile, Selection const& selection) {
  if (!are_part_of_bytes_sent(profile, selection)) return std::nullopt;
  return bytes_sent(summarise(profile, {}, {{by_comm | by_op}}));
}

std::string part_of_bytes_sent(std::uint64_t bytes_of_messages, std::optional<std::uint64_t> sent) {
  constexpr double nearly_all = 0.9;
  auto const share = share_of(bytes_of_messages, sent.value_or(0));
  if (share.value_or(1) >= nearly_all) return "";
  if (bytes_of_messages == 0) return fmt::format("Collectives and files send all of the {}.", format_bytes(*sent));
  return fmt::format("These messages are {} of the {} that calls send: collectives and files are not among them.",
                     format_share(share), format_bytes(*sent));
}

std::uint64_t read_bytes_without_estimate(Profile const& profile, Selection const& selection) {
  return has_estimate(selection) ? read_bytes_left_out(profile) : 0;
}

std::string describe_missing_estimate(std::uint64_t bytes_without) {
  if (bytes_without == 0) return "";
  return fmt::format("The estimate lacks {} of collectives on communicators whose members or groups are not known.",
                     format_bytes(bytes_without));
}

std::string with_estimate(std::string const& part) {
  return part.empty() ? part : part + " --class estimate shows what collectives may send.";
}

}  // namespace mpisee_through
