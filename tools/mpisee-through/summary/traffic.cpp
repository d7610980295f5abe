#include "summary/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "files/visible_text.hpp"
#include "summary/message_rows.hpp"
#include "summary/sorted_sums.hpp"
#include "summary/summarise.hpp"
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

// Messages that the MPI library sent for collective operations are summed separately.
struct PartOfMessages {
  std::array<Amount, traffic_classes.size()> by_class{};
  Amount within_hosts{};
  SortedSums<Ends, Amount> of_program{}, internal{};
  SortedSums<SizedEnds, Amount> sizes{};
};

class MessageCounter {
 public:
  MessageCounter(Profile const& profile, Selection const& selection, Detail detail, Overview const& overview)
      : profile_(profile), selection_(selection), detail_(detail), overview_(overview) {}

  MessagesByOrigin run() {
    MessagesByOrigin messages;
    auto parts = read_messages<PartOfMessages>(
        profile_, selection_, [this](PartOfMessages& part, PeerRow const& row, Amount const& amount, bool is_selected) {
          if (is_selected) add(part, row, amount);
        });
    SortedSums<SizedEnds, Amount> sizes;
    for (PartOfMessages& part : parts) {
      add(messages.all, part);
      for (auto const& [ends, amount] : part.sizes.take()) sizes.add(ends, amount);
    }
    add_pairs(messages, parts);
    for (auto const& [key, amount] : sizes.take())
      messages.all.sizes.push_back({key.ends.from, key.ends.to, key.size, amount});
    return messages;
  }

 private:
  void add(PartOfMessages& part, PeerRow const& row, Amount const& amount) const {
    Ends const ends{row.from, row.to};
    (row.traffic_class == TrafficClass::internal ? part.internal : part.of_program).add(ends, amount);
    if (detail_.by_size) part.sizes.add({ends, row.size}, amount);
    part.by_class[static_cast<std::size_t>(row.traffic_class)] += amount;
    if (are_on_one_host(row.from, row.to)) part.within_hosts += amount;
  }

  static void add(MessageSums& sums, PartOfMessages const& part) {
    for (std::size_t i = 0; i < part.by_class.size(); ++i) {
      sums.by_class[i] += part.by_class[i];
      sums.total += part.by_class[i];
    }
    sums.within_hosts += part.within_hosts;
  }

  static void add_pairs(MessagesByOrigin& messages, std::vector<PartOfMessages>& parts) {
    SortedSums<Ends, Amount> of_program, internal;
    for (PartOfMessages& part : parts) {
      for (auto const& [ends, amount] : part.of_program.take()) of_program.add(ends, amount);
      for (auto const& [ends, amount] : part.internal.take()) internal.add(ends, amount);
    }
    auto const pairs_of = [](auto const& sums) {
      std::vector<PairTraffic> pairs;
      pairs.reserve(sums.size());
      for (auto const& [ends, amount] : sums) pairs.push_back({ends.from, ends.to, amount});
      return pairs;
    };
    auto const sums = of_program.take(), internal_sums = internal.take();
    if (internal_sums.empty()) {
      messages.all.pairs = pairs_of(sums);
      return;
    }
    MessageSums& without = messages.without_internal.emplace();
    without.pairs = pairs_of(sums);
    for (PairTraffic const& pair : without.pairs) without.total += pair.amount;
    SortedSums<Ends, Amount> all;
    for (auto const* some : {&sums, &internal_sums})
      for (auto const& [ends, amount] : *some) all.add(ends, amount);
    messages.all.pairs = pairs_of(all.take());
  }

  [[nodiscard]] bool are_on_one_host(WorldRank from, WorldRank to) const {
    if (from == other_world || to == other_world) return false;
    auto const host = [this](WorldRank rank) { return overview_.host_of_rank[static_cast<std::size_t>(rank)]; };
    return host(from) == host(to);
  }

  Profile const& profile_;
  Selection const& selection_;
  Detail detail_;
  Overview const& overview_;
};

}  // namespace

Amount& Amount::operator+=(Amount const& other) {
  messages += other.messages;
  bytes += other.bytes;
  return *this;
}

Traffic add_up_traffic(Profile const& profile, Selection const& selection, Detail detail) {
  Traffic traffic;
  static_cast<Overview&>(traffic) = read_overview(profile, selection);
  traffic.detail = detail;
  static_cast<MessageSums&>(traffic) = MessageCounter(profile, selection, detail, traffic).run().all;
  return traffic;
}

namespace {

// Replaces the ends of pairs by their hosts.
void fold_into_hosts(Traffic& traffic) {
  auto const host_of = [&](WorldRank rank) {
    return rank == other_world ? other_world
                               : static_cast<WorldRank>(traffic.host_of_rank[static_cast<std::size_t>(rank)]);
  };
  SortedSums<Ends, Amount> pairs;
  SortedSums<SizedEnds, Amount> sizes;
  for (PairTraffic const& pair : traffic.pairs) pairs.add({host_of(pair.from), host_of(pair.to)}, pair.amount);
  for (SizedTraffic const& one : traffic.sizes) sizes.add({{host_of(one.from), host_of(one.to)}, one.size}, one.amount);
  traffic.pairs.clear();
  traffic.sizes.clear();
  for (auto const& [ends, amount] : pairs.take()) traffic.pairs.push_back({ends.from, ends.to, amount});
  for (auto const& [key, amount] : sizes.take())
    traffic.sizes.push_back({key.ends.from, key.ends.to, key.size, amount});
}

// Reads the sums by host that the profile has.
void read_host_pairs(Profile const& profile, Selection const& selection, Traffic& traffic) {
  std::map<std::string, WorldRank, std::less<>> hosts{{"", other_world}};
  for (std::string const& name : traffic.host_names)
    hosts.emplace(name, static_cast<WorldRank>(&name - traffic.host_names.data()));
  SortedSums<Ends, Amount> pairs;
  HostPairRows rows(profile);
  auto const find = [&](std::string_view host) {
    auto const known = hosts.find(visible(host));
    if (known == hosts.end()) rows.fail(fmt::format("\"{}\" is a host of no rank", visible(host)));
    return known->second;
  };
  while (HostPairRow const* row = rows.next()) {
    auto const& wanted = selection.classes;
    if (!wanted.empty() && std::ranges::find(wanted, row->traffic_class) == wanted.end()) continue;
    Amount const amount{row->messages, row->bytes};
    if (!add_up(traffic.total, amount)) rows.fail(beyond_counting);
    traffic.by_class[static_cast<std::size_t>(row->traffic_class)] += amount;
    if (row->from == commprof::schema::several) {
      traffic.of_unknown_hosts += amount;
      continue;
    }
    Ends const ends{find(row->from), find(row->to)};
    if (ends.from == ends.to) traffic.within_hosts += amount;
    pairs.add(ends, amount);
  }
  for (auto const& [ends, amount] : pairs.take()) traffic.pairs.push_back({ends.from, ends.to, amount});
}

}  // namespace

Traffic add_up_traffic_by_host(Profile const& profile, Selection const& selection, Detail detail) {
  bool const has_sums = !detail.by_size && selection.selects_all_but_classes();
  if (has_rows_of(profile.run(), selection) || !has_sums) {
    require_rows(profile, selection, "a part of --by-host");
    Traffic traffic = add_up_traffic(profile, selection, detail);
    fold_into_hosts(traffic);
    traffic.is_by_host = true;
    return traffic;
  }
  Traffic traffic;
  static_cast<Overview&>(traffic) = read_overview(profile, selection);
  traffic.detail = detail;
  traffic.is_by_host = true;
  read_host_pairs(profile, selection, traffic);
  return traffic;
}

MessagesByOrigin add_up_messages(Profile const& profile, Selection const& selection, Overview const& overview) {
  return MessageCounter(profile, selection, Detail::operations, overview).run();
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
  std::uint64_t sent = 0;
  for (CommunicatorSummary const& one : summary.communicators) sent += one.totals.bytes_sent;
  return sent;
}

std::optional<std::uint64_t> read_bytes_sent(Profile const& profile, Selection const& selection) {
  if (profile.run().has_only_sums() || !selection.selects_all_but_classes()) return std::nullopt;
  return bytes_sent(summarise(profile, {}, Detail::operations));
}

std::string part_of_bytes_sent(std::uint64_t bytes_of_messages, std::optional<std::uint64_t> sent) {
  constexpr double nearly_all = 0.9;
  auto const share = share_of(bytes_of_messages, sent.value_or(0));
  if (share.value_or(1) >= nearly_all) return "";
  return fmt::format("These messages are {} of the {} that calls send: collectives and files are not among them.",
                     format_share(share), format_bytes(*sent));
}

}  // namespace mpisee_through
