#include "fabric/link_messages.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "files/visible_text.hpp"
#include "summary/message_rows.hpp"
#include "summary/sorted_sums.hpp"
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

struct PartOfLinks {
  StreamNames names{};
  SortedSums<StreamEnds, Amount> sums{};
  Amount selected{}, within_hosts{}, other_worlds{}, unknown_hosts{};
  bool has_internal = false;
};

class LinkMessageReader {
 public:
  LinkMessageReader(Profile const& profile, Selection const& selection, Overview const& overview)
      : profile_(profile), selection_(selection), overview_(overview) {}

  LinkMessages run() {
    auto parts = read_messages<PartOfLinks>(
        profile_, selection_, [this](PartOfLinks& part, PeerRow const& row, Amount const& amount, bool is_selected) {
          part.has_internal = part.has_internal || row.traffic_class == TrafficClass::internal;
          if (is_selected) add(part, row, amount);
        });
    LinkMessages messages;
    StreamNames names;
    SortedSums<StreamEnds, Amount> sums;
    for (PartOfLinks& part : parts) {
      messages.total += part.selected;
      messages.within_hosts += part.within_hosts;
      messages.other_worlds += part.other_worlds;
      messages.unknown_hosts += part.unknown_hosts;
      messages.has_internal = messages.has_internal || part.has_internal;
      std::vector<StreamIndex> numbers;
      for (std::string const& key : part.names.keys()) numbers.push_back(names.find(key));
      for (auto const& [ends, amount] : part.sums.take())
        sums.add({ends.from, ends.to, numbers[static_cast<std::size_t>(ends.stream)]}, amount);
    }
    for (auto const& [ends, amount] : sums.take()) {
      messages.between_hosts.push_back({ends.from, ends.to, ends.stream, amount});
      messages.on_links += amount;
    }
    messages.streams = names.streams();
    return messages;
  }

 private:
  void add(PartOfLinks& part, PeerRow const& row, Amount const& amount) const {
    part.selected += amount;
    if (row.from == other_world || row.to == other_world) part.other_worlds += amount;
    else if (!has_host(row.from) || !has_host(row.to)) part.unknown_hosts += amount;
    else if (host_of(row.from) == host_of(row.to)) part.within_hosts += amount;
    else part.sums.add({row.from, row.to, part.names.find(row)}, amount);
  }

  [[nodiscard]] HostIndex host_of(WorldRank rank) const {
    return overview_.host_of_rank[static_cast<std::size_t>(rank)];
  }

  [[nodiscard]] bool has_host(WorldRank rank) const {
    return static_cast<std::size_t>(host_of(rank)) < overview_.known_hosts().size();
  }

  Profile const& profile_;
  Selection const& selection_;
  Overview const& overview_;
};

}  // namespace

LinkMessages read_link_messages(Profile const& profile, Selection const& selection, Overview const& overview) {
  return LinkMessageReader(profile, selection, overview).run();
}

}  // namespace mpisee_through
