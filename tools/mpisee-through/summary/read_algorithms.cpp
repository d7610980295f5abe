#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "summary/algorithms.hpp"
#include "summary/message_rows.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sorted_sums.hpp"

namespace mpisee_through {
namespace {

// A collective operation on a communicator, by their places in the summary.
struct OperationPlace {
  std::size_t communicator, operation;
  auto operator<=>(OperationPlace const&) const = default;
};

struct PlacedEnds {
  OperationPlace place;
  WorldRank from, to;
  auto operator<=>(PlacedEnds const&) const = default;
};

class OperationPlaces {
 public:
  explicit OperationPlaces(Summary const& summary) {
    for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
      CommunicatorSummary const& one = summary.communicators[i];
      for (std::size_t at = 0; one.instances == 1 && at < one.operations.size(); ++at) {
        std::string const& name = summary.name_of(one.operations[at].operation);
        if (kind_of(name) == OperationKind::collective)
          places_.emplace(std::pair(one.name, name), OperationPlace{i, at});
      }
    }
  }
  [[nodiscard]] std::optional<OperationPlace> of(std::string_view communicator, std::string_view operation) const {
    auto const found = places_.find(std::pair(communicator, operation));
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct Less {
    using is_transparent = void;
    bool operator()(auto const& one, auto const& other) const {
      return std::pair<std::string_view, std::string_view>(one) < std::pair<std::string_view, std::string_view>(other);
    }
  };
  std::map<std::pair<std::string, std::string>, OperationPlace, Less> places_;
};

// The ranks in the communicator, in place of the world's. The profile lists members in the order of the world, so a
// communicator with another order gets wrong ranks, and its messages match no pattern but the ring.
std::string algorithm_of(CommunicatorSummary const& communicator, std::uint64_t calls,
                         std::vector<std::pair<PlacedEnds, Amount>> const& sums) {
  auto const set = RankSet::parse(communicator.members);
  auto const members = set ? set->numbers() : std::nullopt;
  if (!members || members->size() != communicator.size || communicator.ranks != communicator.size) return "unknown";
  auto const rank_of = [&](WorldRank rank) {
    auto const found = std::ranges::lower_bound(*members, static_cast<std::int32_t>(rank));
    return static_cast<std::uint32_t>(found - members->begin());
  };
  std::vector<SentMessages> sent;
  for (auto const& [key, amount] : sums)
    if (key.from != key.to) sent.push_back({rank_of(key.from), rank_of(key.to), amount.messages});
  return algorithm_of(static_cast<std::uint32_t>(members->size()), calls, sent);
}

}  // namespace

std::vector<AlgorithmSummary> read_algorithms(Profile const& profile, Selection const& selection,
                                              Summary const& summary) {
  OperationPlaces const places(summary);
  auto const ends_of = [&](PeerRow const& row) -> std::optional<PlacedEnds> {
    if (row.traffic_class != TrafficClass::internal || row.from == other_world || row.to == other_world) return {};
    auto const place = places.of(row.communicator, row.operation);
    return place ? std::optional(PlacedEnds{*place, row.from, row.to}) : std::nullopt;
  };
  Selection internal = selection;
  internal.classes = {TrafficClass::internal};
  auto sums =
      group_messages(profile, internal, Grouping(ends_of, amount_of<PeerRow>, SortedSums<PlacedEnds, Amount>()));
  std::map<OperationPlace, std::vector<std::pair<PlacedEnds, Amount>>> by_place;
  for (auto const& [key, amount] : sums.take()) by_place[key.place].emplace_back(key, amount);
  std::vector<AlgorithmSummary> all;
  for (auto const& [place, messages] : by_place) {
    CommunicatorSummary const& communicator = summary.communicators[place.communicator];
    OperationSummary const& operation = communicator.operations[place.operation];
    std::uint64_t const ranks = std::max<std::uint64_t>(communicator.ranks, 1);
    std::uint64_t const calls = operation.totals.calls % ranks == 0 ? operation.totals.calls / ranks : 0;
    Amount total;
    for (auto const& [key, amount] : messages) total += amount;
    all.push_back({CommunicatorIndex(place.communicator), &operation, calls,
                   algorithm_of(communicator, calls, messages), total.messages, total.bytes});
  }
  std::ranges::stable_sort(all, std::greater(),
                           [](AlgorithmSummary const& one) { return one.operation->totals.time_s; });
  return all;
}

}  // namespace mpisee_through
