#include "fabric/link_messages.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "files/visible_text.hpp"
#include "reader/read_parts.hpp"
#include "summary/row_filter.hpp"
#include "summary/sorted_sums.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {
namespace {

constexpr char separator = '\n';  // in no name of a profile's rows

// Numbers the streams in the order in which they come.
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

// Of one part of the file.
struct PartOfLinks {
  explicit PartOfLinks(MessageFilter const& one) : filter(one) {}

  MessageFilter filter;
  StreamNames names{};
  SortedSums<StreamEnds, Amount> sums{};
  Amount all{}, selected{}, within_hosts{}, other_worlds{}, unknown_hosts{};
  bool has_internal = false;
};

class LinkMessageReader {
 public:
  LinkMessageReader(Profile const& profile, Selection const& selection, Overview const& overview)
      : profile_(profile), overview_(overview), filter_(profile, selection) {
    check_ranks("--from", selection.from, overview.run);
    check_ranks("--to", selection.to, overview.run);
  }

  LinkMessages run() {
    auto parts = read_in_parts<PeerRows>(profile_, [this](PeerRows& rows) { return read(rows); });
    LinkMessages messages;
    StreamNames names;
    SortedSums<StreamEnds, Amount> sums;
    Amount all;
    for (PartOfLinks& part : parts) {
      if (!add_up(all, part.all))
        throw ProfileError(profile_.files().file(commprof::schema::peers.name).shown, std::nullopt, too_much);
      filter_.add(part.filter);
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
    filter_.check(profile_);
    for (auto const& [ends, amount] : sums.take()) {
      messages.between_hosts.push_back({ends.from, ends.to, ends.stream, amount});
      messages.on_links += amount;
    }
    messages.streams = names.streams();
    return messages;
  }

 private:
  static constexpr std::string_view too_much = "the numbers add up to more than can be counted";

  // False on overflow.
  static bool add_up(Amount& sum, Amount const& other) {
    return !__builtin_add_overflow(sum.messages, other.messages, &sum.messages) &&
           !__builtin_add_overflow(sum.bytes, other.bytes, &sum.bytes);
  }

  [[nodiscard]] PartOfLinks read(PeerRows& rows) const {
    PartOfLinks part(filter_);
    while (PeerRow const* row = rows.next()) {
      // Every other sum is a part of this one, so none of them can overflow.
      Amount const amount{row->messages, row->bytes};
      if (!add_up(part.all, amount)) rows.fail(too_much);
      part.has_internal = part.has_internal || row->traffic_class == TrafficClass::internal;
      if (!part.filter.selects(*row)) continue;
      part.selected += amount;
      if (row->from == other_world || row->to == other_world) {
        part.other_worlds += amount;
      } else if (!has_host(row->from) || !has_host(row->to)) {
        part.unknown_hosts += amount;
      } else if (host_of(row->from) == host_of(row->to)) {
        part.within_hosts += amount;
      } else {
        part.sums.add({row->from, row->to, part.names.find(*row)}, amount);
      }
    }
    return part;
  }

  [[nodiscard]] HostIndex host_of(WorldRank rank) const {
    return overview_.host_of_rank[static_cast<std::size_t>(rank)];
  }

  [[nodiscard]] bool has_host(WorldRank rank) const {
    return static_cast<std::size_t>(host_of(rank)) < overview_.known_hosts().size();
  }

  Profile const& profile_;
  Overview const& overview_;
  MessageFilter filter_;
};

}  // namespace

LinkMessages read_link_messages(Profile const& profile, Selection const& selection, Overview const& overview) {
  return LinkMessageReader(profile, selection, overview).run();
}

}  // namespace mpisee_through
