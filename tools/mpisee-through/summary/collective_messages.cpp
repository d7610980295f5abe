#include "summary/collective_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/rules.hpp"
#include "reader/profile_reader.hpp"
#include "summary/operation_kind.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"
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

using commprof::calls::Flow;

std::optional<Flow> flow_of(std::string_view operation) {
  commprof::calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && is_collective(*row) ? std::optional(rule_of(*row).flow) : std::nullopt;
}

// Whether the call makes one group of two.
bool merges_groups(commprof::calls::Row const& row) { return row.letter == commprof::Letter::merge; }

// Whether the call joins two groups. Other calls on its result, such as MPI_Comm_dup, make intercommunicators as well.
bool makes_intercommunicator(commprof::calls::Row const& row) {
  return row.letter == commprof::Letter::intercomm || row.letter == commprof::Letter::spawn ||
         row.letter == commprof::Letter::connect || has_parameter(row, "remote_group");
}

// An operation on a communicator.
struct Call {
  Flow flow;
  std::uint64_t communicator_size;
  std::vector<WorldRank> ranks{};  // ascending
  std::vector<OfRank> with_bytes{};
  std::map<WorldRank, std::uint64_t> without_bytes{};  // calls
};

// Communicators of which a profile does not say which ranks send to which: folded ones, intercommunicators, and those
// with processes of other worlds.
class UnknownGroups {
 public:
  explicit UnknownGroups(Profile const& profile) {
    for (std::size_t before = SIZE_MAX; before != unknown_.size();) {  // a child may be listed before its parent
      before = unknown_.size();
      CommunicatorRows rows(profile);
      while (CommunicatorRow const* row = rows.next())
        if (lacks_members(*row) || is_between_groups(*row)) unknown_.emplace(row->name);
    }
  }

  [[nodiscard]] bool contains(std::string_view communicator) const {
    return is_folded(communicator) || unknown_.contains(communicator);
  }

 private:
  // Members in other worlds have no rank here. Descendants of MPI_COMM_SELF list no members.
  static bool lacks_members(CommunicatorRow const& row) {
    bool const has_only_number = row.member_ranks.empty() && !row.members.empty();
    return row.size > 1 && row.member_ranks.size() < row.size && !has_only_number;
  }
  [[nodiscard]] bool is_between_groups(CommunicatorRow const& row) const {
    if (holds(row.created_by, merges_groups)) return false;
    return holds(row.created_by, makes_intercommunicator) || unknown_.contains(row.parent);
  }

  std::set<std::string, std::less<>> unknown_;
};

struct Calls {
  std::map<std::pair<std::string, std::string>, Call> of;      // by communicator and operation
  std::vector<std::set<std::string, std::less<>>> regions{1};  // of each part of the file: calls refer to these names

  // Adds the calls of a part that follows in the file.
  void add(Calls&& later) {
    std::ranges::move(later.regions, std::back_inserter(regions));
    for (auto& [key, call] : later.of) {
      auto const [known, is_new] = of.try_emplace(key, std::move(call));
      if (is_new) continue;
      Call& all = known->second;
      all.ranks.insert(all.ranks.end(), call.ranks.begin(), call.ranks.end());
      all.with_bytes.insert(all.with_bytes.end(), call.with_bytes.begin(), call.with_bytes.end());
      all.without_bytes.merge(call.without_bytes);
    }
  }
};

Calls read_part(OperationRows& rows, UnknownGroups const& unknown) {
  Memo<std::optional<Flow>> known;
  Calls calls;
  while (OperationRow const* row = rows.next()) {
    auto const flow = known.get(row->operation, [&] { return flow_of(row->operation); });
    if (!flow || row->communicator_size == 1 || unknown.contains(row->communicator)) continue;
    std::pair key(std::string(row->communicator), std::string(row->operation));
    Call& call = calls.of.try_emplace(std::move(key), Call{*flow, row->communicator_size}).first->second;
    if (call.ranks.empty() || call.ranks.back() != row->rank) call.ranks.push_back(row->rank);
    std::uint64_t const bytes = std::max(row->bytes_sent, row->bytes_received);
    if (bytes == 0) call.without_bytes[row->rank] += row->calls;
    else
      call.with_bytes.push_back(
          {*calls.regions.front().emplace(row->region).first, row->rank, row->size, row->calls, bytes});
  }
  return calls;
}

// The rows of a rank are in one part.
Calls read_calls(Profile const& profile) {
  UnknownGroups const unknown(profile);
  Calls calls;
  for (Calls& part :
       read_in_parts<OperationRows>(profile, [&](OperationRows& rows) { return read_part(rows, unknown); }))
    calls.add(std::move(part));
  return calls;
}

// The likely root of calls in which it counts bytes like the others, as in a gather.
WorldRank root_of(Call const& call) { return call.ranks.front(); }

std::uint64_t pairs_of(Call const& call) {
  std::size_t others = call.ranks.size() - 1;
  if (call.flow == Flow::from_byteless) others = std::max<std::size_t>(call.without_bytes.size(), 1);
  if (call.flow == Flow::from_root || call.flow == Flow::to_root) others = 1;
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
      switch (call_.flow) {
        case Flow::to_others:
        case Flow::to_later:
        case Flow::from_others:
          spread(one);
          break;
        case Flow::to_all:
          send_blocks(one);
          break;
        case Flow::from_byteless:
          receive(one);
          break;
        case Flow::from_root:
          tell_unless_same(one, root_of(call_), one.rank);
          break;
        case Flow::to_root:
          tell_unless_same(one, one.rank, root_of(call_));
          break;
      }
    }
  }

 private:
  // The first ones get what cannot be divided.
  static std::uint64_t share(std::uint64_t bytes, std::uint64_t index, std::uint64_t parts) {
    return bytes / parts + (index < bytes % parts ? 1 : 0);
  }

  void spread(OfRank const& one) const {
    std::uint64_t told = 0;
    for (WorldRank const other : call_.ranks) {
      if (other == one.rank) continue;
      std::uint64_t const bytes = share(one.bytes, told++, call_.ranks.size() - 1);
      if (call_.flow == Flow::from_others) tell(one, other, one.rank, one.calls, bytes);
      else tell(one, one.rank, other, one.calls, bytes);
    }
  }

  // A profile may lack ranks of the communicator: what they get is left out.
  void send_blocks(OfRank const& one) const {
    std::uint64_t const blocks = std::max<std::uint64_t>(call_.communicator_size, call_.ranks.size());
    for (std::size_t i = 0; i < call_.ranks.size(); ++i)
      if (call_.ranks[i] != one.rank) tell(one, one.rank, call_.ranks[i], one.calls, share(one.bytes, i, blocks));
  }

  void receive(OfRank const& one) const {
    std::uint64_t all = 0;
    for (auto const& [rank, calls] : call_.without_bytes) all += rank == one.rank ? 0 : calls;
    if (all == 0) return tell_unless_same(one, root_of(call_), one.rank);
    for (auto const& [rank, calls] : call_.without_bytes)
      if (rank != one.rank) tell(one, rank, one.rank, part_of(one.calls, calls, all), part_of(one.bytes, calls, all));
  }

  void tell_unless_same(OfRank const& one, WorldRank from, WorldRank to) const {
    if (from != to) tell(one, from, to, one.calls, one.bytes);
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
  for (Cell const& one : summary.operations()) {
    if (is_wanted(summary.communicator(one.communicator).name) && direction_of(summary.name_of(one.operation)))
      bytes += std::max(one.totals.bytes_sent, one.totals.bytes_received);
  }
  return bytes;
}

}  // namespace

std::uint64_t bytes_of_collectives(Summary const& summary) {
  return bytes_of_collectives_on(summary, [](std::string_view) { return true; });
}

std::uint64_t read_bytes_left_out(Profile const& profile) {
  UnknownGroups const unknown(profile);
  return bytes_of_collectives_on(summarise(profile, {}, {{by_comm | by_op}}),
                                 [&](std::string_view communicator) { return unknown.contains(communicator); });
}

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
