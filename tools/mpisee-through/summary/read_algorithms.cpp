#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "calls/rules.hpp"
#include "summary/algorithms.hpp"
#include "summary/group_by.hpp"
#include "summary/message_rows.hpp"
#include "summary/operation_kind.hpp"

namespace mpisee_through {
namespace {

// Whether one of the ranks counts no bytes: the root of a broadcast, the last one of a scan. A persistent call counts
// none on any rank: those that start it do.
bool one_counts_none(commprof::calls::Row const& row) {
  if (!is_collective(row) || row.kind != commprof::calls::operation) return false;
  using commprof::calls::Flow;
  Flow const flow = rule_of(row).flow;
  return flow == Flow::from_byteless || flow == Flow::to_later;
}

// A collective operation on a communicator.
using CollectiveCall = std::pair<CommunicatorIndex, OperationIndex>;

struct CallEnds {
  CollectiveCall call;
  std::optional<SizeBin> size;  // of the calls
  WorldRank from, to;
  auto operator<=>(CallEnds const&) const = default;
};
using SentSums = std::vector<SortedSums<CallEnds, Amount>::Entry>;
using Sent = std::span<SentSums::value_type const>;

class CallsByName {
 public:
  explicit CallsByName(Summary const& summary) {
    for (Cell const& cell : summary.cells(by_comm | by_op | by_size)) {
      CommunicatorSummary const& communicator = summary.communicator(cell.communicator);
      std::string const& name = summary.name_of(cell.operation);
      if (communicator.instances == 1 && kind_of(name) == OperationKind::collective)
        calls_.try_emplace(std::pair(communicator.name, name), CollectiveCall(cell.communicator, cell.operation));
    }
  }
  [[nodiscard]] std::optional<CollectiveCall> of(std::string_view communicator, std::string_view operation) const {
    auto const found = calls_.find(std::pair(communicator, operation));
    return found == calls_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct Less {
    using is_transparent = void;
    bool operator()(auto const& one, auto const& other) const {
      return std::pair<std::string_view, std::string_view>(one) < std::pair<std::string_view, std::string_view>(other);
    }
  };
  std::map<std::pair<std::string, std::string>, CollectiveCall, Less> calls_;
};

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
  CallsOfOperation(Summary const& summary, CollectiveCall const& call)
      : communicator_(summary.communicator(call.first)),
        sizes_(cells_of(summary.cells(by_comm | by_op | by_size), call.first, call.second)),
        name_(summary.name_of(call.second)),
        one_counts_none_(holds(name_, one_counts_none)) {
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
    for (Sent const one : pieces) {
      if (!one.front().key.size) return {all_sizes(sent)};
      by_size.push_back(of_size(*one.front().key.size, one, pieces.size() == 1));
    }
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
    std::uint64_t const ranks = found->spread->ranks();
    bool const has_all = ranks == communicator_.ranks || (one_counts_none_ && ranks + 1 == communicator_.ranks);
    std::uint64_t const calls = has_all && found->totals.calls % ranks == 0 ? found->totals.calls / ranks : 0;
    return named(size, is_only_one && one_counts_none_ ? totals_ : found->totals, calls, sent);
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
    if (members_.empty()) return "unknown";
    auto const rank_of = [&](WorldRank rank) -> std::optional<std::uint32_t> {
      auto const found = std::ranges::lower_bound(members_, static_cast<std::int32_t>(rank));
      if (found == members_.end() || *found != static_cast<std::int32_t>(rank)) return std::nullopt;
      return static_cast<std::uint32_t>(found - members_.begin());
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> messages;  // of all sizes in `sent`
    for (auto const& [key, amount] : sent) {
      auto const from = rank_of(key.from), to = rank_of(key.to);
      if (!from || !to) return "unknown";
      if (*from != *to) messages[{*from, *to}] += amount.messages;
    }
    std::vector<SentMessages> list;
    for (auto const& [ends, number] : messages) list.push_back({ends.first, ends.second, number});
    return algorithm_of(name_, hosts_, calls, list);
  }

  CommunicatorSummary const& communicator_;
  std::span<Cell const> sizes_;
  std::string_view name_;  // of the operation
  bool one_counts_none_;
  std::vector<std::int32_t> members_;  // ascending; empty if unknown
  std::vector<std::uint32_t> hosts_;   // of the members
  Totals totals_;
};

}  // namespace

std::vector<AlgorithmSummary> read_algorithms(Profile const& profile, Selection const& selection,
                                              Summary const& summary) {
  CallsByName const calls_by_name(summary);
  auto const ends_of = [&](PeerRow const& row) -> std::optional<CallEnds> {
    if (row.traffic_class != TrafficClass::internal || row.from == other_world || row.to == other_world) return {};
    auto const call = calls_by_name.of(row.communicator, row.operation);
    if (!call) return {};
    auto const size = row.call_size_min ? std::optional(SizeBin{*row.call_size_min, *row.call_size_max}) : std::nullopt;
    return CallEnds{*call, size, row.from, row.to};
  };
  Selection internal = selection;
  internal.classes = {TrafficClass::internal};
  SentSums const sums =
      group_messages(profile, internal, Grouping(ends_of, amount_of<PeerRow>, SortedSums<CallEnds, Amount>())).take();
  std::vector<std::pair<Seconds, std::vector<AlgorithmSummary>>> by_operation;
  for (Sent const sent : cut(sums, [](CallEnds const& one) { return one.call; })) {
    CallsOfOperation const calls(summary, sent.front().key.call);
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
