#include "summary/collective_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "summary/collectives.hpp"
#include "summary/selection.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {
namespace {

constexpr std::uint64_t most_pairs = std::uint64_t{1} << 26U;

struct OfRank {
  std::string_view region;  // of read_calls()
  WorldRank rank;
  SizeBin size;
  std::uint64_t calls, bytes;
};

// An operation on a communicator.
struct Call {
  Direction direction;
  std::vector<WorldRank> ranks{};  // ascending
  std::vector<OfRank> with_bytes{};
  std::map<WorldRank, std::uint64_t> without_bytes{};  // calls
};

struct Calls {
  std::map<std::pair<std::string, std::string>, Call> of;  // by communicator and operation
  std::set<std::string, std::less<>> regions;
};

Calls read_calls(Profile const& profile) {
  Memo<std::optional<Direction>> known;
  Calls calls;
  OperationRows rows(profile);
  while (OperationRow const* row = rows.next()) {
    auto const direction = known.get(row->operation, [&] { return direction_of(row->operation); });
    if (!direction || row->communicator_size == 1 || is_folded(row->communicator)) continue;
    std::pair key(std::string(row->communicator), std::string(row->operation));
    Call& call = calls.of.try_emplace(std::move(key), Call{*direction}).first->second;
    if (call.ranks.empty() || call.ranks.back() != row->rank) call.ranks.push_back(row->rank);
    std::uint64_t const bytes = std::max(row->bytes_sent, row->bytes_received);
    if (bytes == 0) call.without_bytes[row->rank] += row->calls;
    else
      call.with_bytes.push_back({*calls.regions.emplace(row->region).first, row->rank, row->size, row->calls, bytes});
  }
  return calls;
}

// The root of calls that all count bytes in, as in a gather: the likely one.
WorldRank root_of(Call const& call) { return call.ranks.front(); }

std::uint64_t pairs_of(Call const& call) {
  std::size_t const others = call.direction == Direction::all_to_all ? call.ranks.size() - 1
                             : call.direction == Direction::one_to_all
                                 ? std::max<std::size_t>(call.without_bytes.size(), 1)
                                 : 1;
  return call.with_bytes.size() * others;
}

std::uint64_t part_of(std::uint64_t amount, std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint64_t>(static_cast<double>(amount) * static_cast<double>(part) /
                                    static_cast<double>(whole));
}

class Estimate {
 public:
  Estimate(std::string_view communicator, std::string_view operation, Call const& call,
           std::function<void(PeerRow const&)> const& take)
      : communicator_(communicator), operation_(operation), call_(call), take_(take) {}

  void run() const {
    for (OfRank const& one : call_.with_bytes) {
      if (call_.direction == Direction::all_to_all) spread(one);
      else if (call_.direction == Direction::one_to_all) receive(one);
      else if (one.rank != root_of(call_)) tell(one, one.rank, root_of(call_), one.calls, one.bytes);
    }
  }

 private:
  // The first ones get what cannot be divided.
  void spread(OfRank const& one) const {
    std::uint64_t const others = call_.ranks.size() - 1;
    std::uint64_t told = 0;
    for (WorldRank const other : call_.ranks) {
      if (other == one.rank) continue;
      tell(one, one.rank, other, one.calls, one.bytes / others + (told++ < one.bytes % others ? 1 : 0));
    }
  }

  // A rank receives from those whose calls count no bytes.
  void receive(OfRank const& one) const {
    std::uint64_t all = 0;
    for (auto const& [rank, calls] : call_.without_bytes) all += rank == one.rank ? 0 : calls;
    if (all == 0 && one.rank != root_of(call_)) tell(one, root_of(call_), one.rank, one.calls, one.bytes);
    if (all == 0) return;
    for (auto const& [rank, calls] : call_.without_bytes)
      if (rank != one.rank) tell(one, rank, one.rank, part_of(one.calls, calls, all), part_of(one.bytes, calls, all));
  }

  void tell(OfRank const& one, WorldRank from, WorldRank to, std::uint64_t calls, std::uint64_t bytes) const {
    take_({one.region, communicator_, TrafficClass::estimate, from, to, one.size, calls, bytes, operation_});
  }

  std::string_view communicator_, operation_;
  Call const& call_;
  std::function<void(PeerRow const&)> const& take_;
};

template <class Condition>
std::uint64_t bytes_of_collectives_on(Summary const& summary, Condition is_wanted) {
  std::uint64_t bytes = 0;
  for (CommunicatorSummary const& communicator : summary.communicators) {
    if (!is_wanted(communicator.name)) continue;
    for (OperationSummary const& one : communicator.operations)
      if (direction_of(summary.name_of(one.operation)))
        bytes += std::max(one.totals.bytes_sent, one.totals.bytes_received);
  }
  return bytes;
}

}  // namespace

std::uint64_t bytes_of_collectives(Summary const& summary) {
  return bytes_of_collectives_on(summary, [](std::string_view) { return true; });
}

std::uint64_t bytes_without_estimate(Summary const& summary) { return bytes_of_collectives_on(summary, is_folded); }

void estimate_collective_messages(Profile const& profile, std::function<void(PeerRow const&)> const& take) {
  Calls const calls = read_calls(profile);
  std::uint64_t pairs = 0;
  for (auto const& [key, call] : calls.of) pairs += pairs_of(call);
  if (pairs > most_pairs)
    throw SelectionError(fmt::format("--class {}: {} pairs of ranks in calls, {} at most",
                                     name_of(TrafficClass::estimate), pairs, most_pairs));
  for (auto const& [key, call] : calls.of) Estimate(key.first, key.second, call, take).run();
}

}  // namespace mpisee_through
