#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "fabric/link_loads.hpp"
#include "files/visible_text.hpp"
#include "summary/group_by.hpp"
#include "summary/message_rows.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {
namespace {

constexpr char separator = '\n';  // does not occur in names of a profile's rows

// Numbers the streams in the order of their first messages.
class StreamNames {
 public:
  StreamIndex find(PeerRow const& row) {
    std::string_view const operation = row.operation.empty() ? name_of(row.traffic_class) : row.operation;
    key_.clear();
    for (std::string_view const part : {row.region, row.communicator, operation}) {
      key_ += part;
      key_ += separator;
    }
    return find(key_);
  }

  StreamIndex find(std::string const& key) {
    auto const known = numbers_.find(key);
    if (known != numbers_.end()) return known->second;
    StreamIndex const next{static_cast<std::uint32_t>(keys_.size())};
    keys_.push_back(key);
    numbers_.emplace(key, next);
    return next;
  }

  [[nodiscard]] std::vector<std::string> const& keys() const { return keys_; }

  [[nodiscard]] std::vector<MessageStream> streams() const {
    std::vector<MessageStream> streams;
    for (std::string_view rest : keys_) {
      auto const next = [&rest] {
        std::string_view const part = rest.substr(0, rest.find(separator));
        rest.remove_prefix(part.size() + 1);
        return visible(part);
      };
      std::array<std::string, 3> parts;
      for (std::string& part : parts) part = next();
      streams.push_back({std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
    }
    return streams;
  }

 private:
  std::vector<std::string> keys_;
  TextMap<StreamIndex> numbers_;
  std::string key_;
};

struct StreamEnds {
  WorldRank from;
  WorldRank to;
  StreamIndex stream;
  auto operator<=>(StreamEnds const&) const = default;
};

class StreamSums {
 public:
  void add(PeerRow const* row, Amount const& amount) { sums_.add({row->from, row->to, names_.find(*row)}, amount); }
  void add(StreamSums&& later) {
    std::vector<StreamIndex> numbers;
    for (std::string const& key : later.names_.keys()) numbers.push_back(names_.find(key));
    for (auto const& [ends, amount] : later.sums_.take())
      sums_.add({ends.from, ends.to, numbers[static_cast<std::size_t>(ends.stream)]}, amount);
  }
  [[nodiscard]] auto take() { return sums_.take(); }
  [[nodiscard]] StreamNames const& names() const { return names_; }

 private:
  StreamNames names_;
  SortedSums<StreamEnds, Amount> sums_;
};

// Notes whether there are internal messages, selected or not.
struct LinkFilter : RowFilter {
  using RowFilter::RowFilter;

  [[nodiscard]] bool selects(PeerRow const& row) {
    has_internal = has_internal || row.traffic_class == TrafficClass::internal;
    return RowFilter::selects(row);
  }
  void add(LinkFilter const& other) {
    RowFilter::add(other);
    has_internal = has_internal || other.has_internal;
  }

  bool has_internal = false;
};

enum class Way : std::uint8_t { on_links, within_host, other_world, unknown_host };

Way way_of(PeerRow const& row, Overview const& overview) {
  if (row.from == other_world || row.to == other_world) return Way::other_world;
  HostIndex const from = overview.host_of_rank[static_cast<std::size_t>(row.from)];
  HostIndex const to = overview.host_of_rank[static_cast<std::size_t>(row.to)];
  if (static_cast<std::size_t>(std::max(from, to)) >= overview.known_hosts().size()) return Way::unknown_host;
  return from == to ? Way::within_host : Way::on_links;
}

}  // namespace

LinkMessages read_link_messages(Profile const& profile, Selection const& selection, Overview const& overview) {
  auto const way = [&overview](PeerRow const& row) { return way_of(row, overview); };
  auto const row_on_links = [way](PeerRow const& row) {
    return way(row) == Way::on_links ? std::optional(&row) : std::nullopt;
  };
  LinkFilter filter(profile, selection);
  auto [ways, streams] =
      group_messages(profile, selection, filter, Grouping(way, amount_of<PeerRow>, IndexedSums<4, Amount>()),
                     Grouping(row_on_links, amount_of<PeerRow>, StreamSums()));
  LinkMessages messages;
  for (Amount const& amount : ways.all()) messages.total += amount;
  messages.on_links = ways[Way::on_links];
  messages.within_hosts = ways[Way::within_host];
  messages.other_worlds = ways[Way::other_world];
  messages.unknown_hosts = ways[Way::unknown_host];
  messages.has_internal = filter.has_internal;
  for (auto const& [ends, amount] : streams.take())
    messages.between_hosts.push_back({ends.from, ends.to, ends.stream, amount});
  messages.streams = streams.names().streams();
  return messages;
}

}  // namespace mpisee_through
