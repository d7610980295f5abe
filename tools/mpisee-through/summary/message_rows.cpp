#include "summary/message_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/rules.hpp"
#include "summary/group_by.hpp"
#include "summary/operation_kind.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {
namespace {

using commprof::calls::Flow;

// Whether the profile does not say which ranks of the communicator send to which: a folded one, one with processes of
// other worlds, an intercommunicator, or what is made from these, but for merged intercommunicators.
bool has_unknown_groups(std::string_view communicator) {
  using commprof::Letter;
  bool is_between_groups = is_folded(communicator);
  for (std::size_t step = communicator.find('_'); step < communicator.size() - 1;
       step = communicator.find('_', step + 1)) {
    auto const letter = static_cast<Letter>(communicator[step + 1]);
    if (letter == Letter::spawn || letter == Letter::connect) return true;
    if (letter == Letter::intercomm || letter == Letter::merge) is_between_groups = letter == Letter::intercomm;
  }
  return is_between_groups;
}

struct CallsOfRank {
  WorldRank rank;
  SizeBin size;
  std::uint64_t calls, bytes, communicator_size;
};

// The calls of an operation on a communicator, in a region.
struct Calls {
  std::uint64_t communicator_size = 0;
  std::vector<WorldRank> ranks{};  // ascending
  std::vector<CallsOfRank> with_bytes{};
  std::map<WorldRank, std::uint64_t> without_bytes{};  // calls

  void operator+=(CallsOfRank const& one) {
    communicator_size = one.communicator_size;
    if (ranks.empty() || ranks.back() != one.rank) ranks.push_back(one.rank);
    if (one.bytes == 0) without_bytes[one.rank] += one.calls;
    else with_bytes.push_back(one);
  }
  // Adds those of later ranks.
  void operator+=(Calls&& later) {
    communicator_size = later.communicator_size;
    ranks.insert(ranks.end(), later.ranks.begin(), later.ranks.end());
    with_bytes.insert(with_bytes.end(), later.with_bytes.begin(), later.with_bytes.end());
    without_bytes.merge(later.without_bytes);
  }
  // The likely root of calls in which it counts bytes like the others, as in a gather.
  [[nodiscard]] WorldRank root() const { return ranks.front(); }
};

constexpr char between_names = '\n';  // does not occur in them

// By region, communicator and operation.
TextSums<Calls> read_calls(Profile const& profile) {
  auto const key = [known = Memo<std::optional<Flow>>()](OperationRow const& row) mutable {
    bool const is_known = known.get(row.operation, [&] { return flow_of(row.operation); }) &&
                          row.communicator_size != 1 && !has_unknown_groups(row.communicator);
    return is_known ? std::optional(fmt::format("{}{}{}{}{}", row.region, between_names, row.communicator,
                                                between_names, row.operation))
                    : std::nullopt;
  };
  auto const of_rank = [](OperationRow const& row) {
    return CallsOfRank{row.rank, row.size, row.calls, std::max(row.bytes_sent, row.bytes_received),
                       row.communicator_size};
  };
  return group_by<OperationRow>(profile, every_row, Grouping(key, of_rank, TextSums<Calls>()));
}

class Estimate {
 public:
  Estimate(std::string_view key, Calls const& calls, std::function<void(PeerRow const&)> const& take)
      : calls_(calls), take_(take) {
    std::size_t const first = key.find(between_names), last = key.rfind(between_names);
    region_ = key.substr(0, first);
    communicator_ = key.substr(first + 1, last - first - 1);
    operation_ = key.substr(last + 1);
    flow_ = *flow_of(operation_);
  }

  [[nodiscard]] std::uint64_t pairs() const {
    std::size_t others = calls_.ranks.size() - 1;
    if (flow_ == Flow::from_byteless) others = std::max<std::size_t>(calls_.without_bytes.size(), 1);
    if (flow_ == Flow::from_root || flow_ == Flow::to_root) others = 1;
    return calls_.with_bytes.size() * others;
  }

  void run() const {
    for (CallsOfRank const& one : calls_.with_bytes) {
      if (flow_ == Flow::from_root) tell(one, calls_.root(), one.rank, one.calls, one.bytes);
      else if (flow_ == Flow::to_root) tell(one, one.rank, calls_.root(), one.calls, one.bytes);
      else if (flow_ == Flow::from_byteless) receive(one);
      else spread(one);
    }
  }

 private:
  // Evenly over the others; the first ones get what cannot be divided. Of an Alltoall, a block stays. A profile may
  // lack ranks of the communicator: what they get is left out.
  void spread(CallsOfRank const& one) const {
    bool const has_own_block = flow_ == Flow::to_all;
    std::uint64_t const all = calls_.ranks.size(),
                        parts = has_own_block ? std::max(calls_.communicator_size, all) : all - 1;
    std::uint64_t part = 0;
    for (WorldRank const other : calls_.ranks) {
      if (other == one.rank && !has_own_block) continue;
      std::uint64_t const bytes = one.bytes / parts + (part++ < one.bytes % parts ? 1 : 0);
      bool const receives = flow_ == Flow::from_others;
      tell(one, receives ? other : one.rank, receives ? one.rank : other, one.calls, bytes);
    }
  }

  void receive(CallsOfRank const& one) const {
    double all = 0;
    for (auto const& [rank, calls] : calls_.without_bytes) all += rank == one.rank ? 0 : static_cast<double>(calls);
    if (all == 0) return tell(one, calls_.root(), one.rank, one.calls, one.bytes);
    for (auto const& [rank, calls] : calls_.without_bytes) {
      auto const part = [&, of_rank = static_cast<double>(calls)](std::uint64_t amount) {
        return static_cast<std::uint64_t>(static_cast<double>(amount) * of_rank / all);
      };
      tell(one, rank, one.rank, part(one.calls), part(one.bytes));
    }
  }

  void tell(CallsOfRank const& one, WorldRank from, WorldRank to, std::uint64_t calls, std::uint64_t bytes) const {
    if (from != to)
      take_({region_, communicator_, TrafficClass::estimate, from, to, one.size, calls, bytes, operation_});
  }

  std::string_view region_, communicator_, operation_;
  Calls const& calls_;
  std::function<void(PeerRow const&)> const& take_;
  Flow flow_{};
};

}  // namespace

std::uint64_t bytes_of_collectives(Summary const& summary) {
  std::uint64_t bytes = 0;
  for (Cell const& one : summary.operations())
    if (direction_of(summary.name_of(one.operation)))
      bytes += std::max(one.totals.bytes_sent, one.totals.bytes_received);
  return bytes;
}

void estimate_collective_messages(Profile const& profile, std::function<void(PeerRow const&)> const& take) {
  constexpr std::uint64_t most_pairs = std::uint64_t{1} << 26U;
  TextSums<Calls> sums = read_calls(profile);
  std::map<std::string_view, Calls const*> sorted;
  for (auto const& [key, calls] : sums.all()) sorted.emplace(key, &calls);
  std::vector<Estimate> estimates;
  std::uint64_t pairs = 0;
  for (auto const& [key, calls] : sorted) pairs += estimates.emplace_back(key, *calls, take).pairs();
  if (pairs > most_pairs)
    throw SelectionError(fmt::format("--class {}: {} pairs of ranks in calls, {} at most",
                                     name_of(TrafficClass::estimate), pairs, most_pairs));
  for (Estimate const& one : estimates) one.run();
}

}  // namespace mpisee_through
