#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "fabric/links.hpp"
#include "files/visible_text.hpp"
#include "reader/group_by.hpp"

namespace mpisee_through {
namespace {

struct StreamEnds {
  WorldRank from;
  WorldRank to;
  StreamIndex stream;
  auto operator<=>(StreamEnds const&) const = default;
};

// Sums messages by their ends and streams. Numbers the streams in the order of their first messages.
class StreamSums {
 public:
  void add(PeerRow const* row, Amount const& amount) {
    std::string_view const operation = row->operation.empty() ? name_of(row->traffic_class) : row->operation;
    key_.clear();
    for (std::string_view const part : {row->region, row->communicator, operation}) (key_ += part) += separator;
    sums_.add({row->from, row->to, number_of(key_)}, amount);
  }
  void add(StreamSums&& later) {
    std::vector<StreamIndex> numbers;
    for (std::string const& key : later.keys_) numbers.push_back(number_of(key));
    for (auto const& [ends, amount] : later.sums_.take())
      sums_.add({ends.from, ends.to, numbers[static_cast<std::size_t>(ends.stream)]}, amount);
  }
  [[nodiscard]] auto take() { return sums_.take(); }

  [[nodiscard]] std::vector<MessageStream> streams() const {
    std::vector<MessageStream> streams;
    for (std::string_view rest : keys_) {
      MessageStream& stream = streams.emplace_back();
      for (std::string* const name : {&stream.region, &stream.communicator, &stream.operation}) {
        std::string_view const part = rest.substr(0, rest.find(separator));
        *name = visible(part);
        rest.remove_prefix(part.size() + 1);
      }
    }
    return streams;
  }

 private:
  static constexpr char separator = '\n';  // does not occur in names of a profile's rows

  StreamIndex number_of(std::string const& key) {
    return numbers_.get(key, [&] {
      keys_.push_back(key);
      return StreamIndex{static_cast<std::uint32_t>(keys_.size() - 1)};
    });
  }

  std::vector<std::string> keys_;
  Memo<StreamIndex> numbers_;
  std::string key_;
  SortedSums<StreamEnds, Amount> sums_;
};

enum class Way : std::uint8_t { on_links, within_host, other_world, unknown_host };

Way way_of(PeerRow const& row, Overview const& overview) {
  if (row.from == other_world || row.to == other_world) return Way::other_world;
  HostIndex const from = overview.host_of_rank[static_cast<std::size_t>(row.from)];
  HostIndex const to = overview.host_of_rank[static_cast<std::size_t>(row.to)];
  if (static_cast<std::size_t>(std::max(from, to)) >= overview.known_hosts().size()) return Way::unknown_host;
  return from == to ? Way::within_host : Way::on_links;
}

// Visits each pair of ranks once, with all of its streams.
template <class Visit>
void for_each_pair(std::vector<StreamTraffic> const& traffic, Visit const& visit) {
  for (std::size_t begin = 0, end = 0; begin < traffic.size(); begin = end) {
    StreamTraffic const& first = traffic[begin];
    while (end < traffic.size() && traffic[end].from == first.from && traffic[end].to == first.to) ++end;
    visit(std::span(traffic).subspan(begin, end - begin));
  }
}

Amount sum_of(std::span<StreamTraffic const> pair) {
  Amount sum;
  for (StreamTraffic const& one : pair) sum += one.amount;
  return sum;
}

Congestion measure_congestion(RankRoutes const& routes, std::vector<FabricHosts::Ends>& pairs,
                              std::vector<std::uint32_t>& routes_of) {
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (FabricHosts::Ends const& one : pairs)
    for (LinkIndex const link : routes.find(one)) ++routes_of[static_cast<std::size_t>(link)];
  Congestion congestion{.routes = pairs.size()};
  for (FabricHosts::Ends const& one : pairs) {
    std::uint64_t most = 0;
    for (LinkIndex const link : routes.find(one))
      most = std::max<std::uint64_t>(most, routes_of[static_cast<std::size_t>(link)]);
    congestion.sum_max += most;
    congestion.most = std::max(congestion.most, most);
  }
  return congestion;
}

// Orders the levels by the way of a message: links upwards from hosts to the top, links between switches of one level,
// links downwards.
std::vector<LevelLoad> add_up_levels(Fabric const& fabric, LinkLoads const& loads) {
  std::map<std::pair<unsigned, unsigned>, LevelLoad> levels;
  for (std::size_t i = 0; i < fabric.links.size(); ++i) {
    LinkIndex const link{static_cast<std::uint32_t>(i)};
    if (fabric.link(link).back == no_link) continue;
    LevelLoad& level = levels[{fabric.node_of(link).level, fabric.peer_of(link).level}];
    if (level.level.empty()) level.level = level_of(fabric, link);
    Amount const& amount = loads.of_link[i];
    ++level.links;
    level.sum += amount;
    level.most.bytes = std::max(level.most.bytes, amount.bytes);
    level.most.messages = std::max(level.most.messages, amount.messages);
    if (amount.messages > 0) ++level.used;
    if (auto const share = share_of(fabric, loads, link))
      level.most_share = std::max(level.most_share.value_or(0), *share);
  }
  std::vector<LevelLoad> in_order;
  for (auto& [ends, level] : levels)
    if (ends.first < ends.second) in_order.push_back(std::move(level));
  for (auto one = levels.rbegin(); one != levels.rend(); ++one)
    if (one->first.first >= one->first.second) in_order.push_back(std::move(one->second));
  return in_order;
}

using Parts = std::vector<LinkFilling::Part>;

// Sums the amounts by one name of the streams.
Parts add_up_by(std::vector<MessageStream> const& streams, std::vector<Amount> const& of_stream,
                std::string MessageStream::*name, Measure measure) {
  std::map<std::string, Amount> sums;
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (of_stream[i].messages > 0) sums[streams[i].*name] += of_stream[i];
  Parts parts;
  for (auto const& [text, amount] : sums) parts.push_back({text, amount});
  std::ranges::stable_sort(parts, std::greater<>(),
                           [&](LinkFilling::Part const& one) { return one.amount.of(measure); });
  return parts;
}

}  // namespace

LinkMessages read_link_messages(Profile const& profile, Selection const& selection, Overview const& overview) {
  auto const way = [&overview](PeerRow const& row) { return way_of(row, overview); };
  auto const row_on_links = [way](PeerRow const& row) {
    return way(row) == Way::on_links ? std::optional(&row) : std::nullopt;
  };
  auto [ways, classes, streams] = group_messages(
      profile, selection, Grouping(way, amount_of<PeerRow>, IndexedSums<4, Amount>()),
      Grouping(&PeerRow::traffic_class, amount_of<PeerRow>, IndexedSums<classes_with_estimate.size(), Amount>()),
      Grouping(row_on_links, amount_of<PeerRow>, StreamSums()));
  LinkMessages messages;
  for (Amount const& amount : ways.all()) messages.total += amount;
  messages.on_links = ways[Way::on_links];
  messages.within_hosts = ways[Way::within_host];
  messages.other_worlds = ways[Way::other_world];
  messages.unknown_hosts = ways[Way::unknown_host];
  messages.has_internal = classes[TrafficClass::internal].messages > 0;
  for (auto const& [ends, amount] : streams.take())
    messages.between_hosts.push_back({ends.from, ends.to, ends.stream, amount});
  messages.streams = streams.streams();
  return messages;
}

RankRoutes::RankRoutes(FabricHosts const& hosts, Overview const& overview) : hosts_(hosts) {
  std::vector<std::uint32_t> ranks_of_host(overview.host_names.size());
  for (HostIndex const host : overview.host_of_rank)
    port_of_rank_.push_back({host, ranks_of_host[static_cast<std::size_t>(host)]++});
}

FabricHosts::Ends RankRoutes::ends(WorldRank from, WorldRank to) const {
  return hosts_.ends(port_of_rank_[static_cast<std::size_t>(from)], port_of_rank_[static_cast<std::size_t>(to)].host);
}

LinkLoads load_links(RankRoutes const& routes, LinkMessages const& messages, double wall_s) {
  LinkLoads loads;
  loads.wall_s = wall_s;
  loads.of_link.resize(routes.fabric().links.size());
  loads.routes_of.resize(loads.of_link.size());
  std::vector<FabricHosts::Ends> pairs;
  for_each_pair(messages.between_hosts, [&](std::span<StreamTraffic const> pair) {
    FabricHosts::Ends const ends = routes.ends(pair.front().from, pair.front().to);
    Amount const sum = sum_of(pair);
    for (LinkIndex const link : routes.find(ends)) loads.of_link[static_cast<std::size_t>(link)] += sum;
    if (pairs.empty() || pairs.back() != ends) pairs.push_back(ends);
  });
  loads.congestion = measure_congestion(routes, pairs, loads.routes_of);
  loads.levels = add_up_levels(routes.fabric(), loads);
  return loads;
}

std::optional<double> share_of(Fabric const& fabric, LinkLoads const& loads, LinkIndex link) {
  double const could = fabric.link(link).bytes_per_s * loads.wall_s;
  return share_of(loads.of(link).bytes, could);
}

std::vector<LinkIndex> busiest_links(LinkLoads const& loads, Measure measure) {
  std::vector<LinkIndex> order;
  for (std::size_t i = 0; i < loads.of_link.size(); ++i)
    if (loads.of_link[i].messages > 0) order.push_back(LinkIndex{static_cast<std::uint32_t>(i)});
  std::ranges::stable_sort(order, std::greater<>(), [&](LinkIndex link) { return loads.of(link).of(measure); });
  return order;
}

std::vector<LinkFilling> fill(RankRoutes const& routes, LinkMessages const& messages, std::span<LinkIndex const> links,
                              Measure measure) {
  std::vector<LinkFilling> fillings(links.size());
  std::vector<std::vector<Amount>> of_stream(links.size(), std::vector<Amount>(messages.streams.size()));
  constexpr std::uint32_t not_wanted = UINT32_MAX;
  std::vector<std::uint32_t> place(routes.fabric().links.size(), not_wanted);
  for (std::size_t i = 0; i < links.size(); ++i)
    place[static_cast<std::size_t>(links[i])] = static_cast<std::uint32_t>(i);

  for_each_pair(messages.between_hosts, [&](std::span<StreamTraffic const> pair) {
    for (LinkIndex const link : routes.find(routes.ends(pair.front().from, pair.front().to))) {
      std::uint32_t const i = place[static_cast<std::size_t>(link)];
      if (i == not_wanted) continue;
      for (StreamTraffic const& one : pair) of_stream[i][static_cast<std::size_t>(one.stream)] += one.amount;
      fillings[i].pairs.push_back({pair.front().from, pair.front().to, sum_of(pair)});
    }
  });
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkFilling& filling = fillings[i];
    filling.communicators = add_up_by(messages.streams, of_stream[i], &MessageStream::communicator, measure);
    filling.operations = add_up_by(messages.streams, of_stream[i], &MessageStream::operation, measure);
    filling.regions = add_up_by(messages.streams, of_stream[i], &MessageStream::region, measure);
    std::ranges::stable_sort(filling.pairs, std::greater<>(),
                             [&](PairTraffic const& one) { return one.amount.of(measure); });
  }
  return fillings;
}

}  // namespace mpisee_through
