#include "summary/algorithms.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "summary/operation_kind.hpp"

namespace mpisee_through {
namespace {

struct CallEnds {
  std::pair<CommunicatorIndex, OperationIndex> call;
  std::optional<SizeBin> size;  // of the calls
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
    for (Sent const one : pieces)
      if (auto const size = one.front().key.size) by_size.push_back(of_size(*size, one, pieces.size() == 1));
    if (by_size.size() < pieces.size()) return {all_sizes(sent)};  // older profiles lack the size of the calls
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
    std::uint64_t const ranks = found->spread->ranks();
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
    auto const size = row.call_size_min ? std::optional(SizeBin{*row.call_size_min, *row.call_size_max}) : std::nullopt;
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

std::vector<AlgorithmSummary> join_sizes(std::vector<AlgorithmSummary> const& algorithms) {
  std::vector<AlgorithmSummary> joined;
  for (AlgorithmSummary const& one : algorithms) {
    AlgorithmSummary* const last = joined.empty() ? nullptr : &joined.back();
    if (last == nullptr || last->communicator != one.communicator || last->operation != one.operation ||
        last->algorithm != one.algorithm) {
      joined.push_back(one);
      continue;
    }
    last->sizes.max_bytes = one.sizes.max_bytes;
    last->totals += one.totals;
    last->calls = last->calls == 0 || one.calls == 0 ? 0 : last->calls + one.calls;
    last->sent += one.sent;
  }
  return joined;
}

}  // namespace mpisee_through
