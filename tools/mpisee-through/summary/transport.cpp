#include "summary/transport.hpp"

#include <fmt/format.h>

#include "summary/collective_messages.hpp"
#include "summary/group_by.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

struct RankPair {
  WorldRank from;
  WorldRank to;
  auto operator<=>(RankPair const&) const = default;
};

// Messages of a pair, by class.
struct PairMessages {
  std::uint64_t sent = 0;   // p2p
  std::uint64_t other = 0;  // rma, internal
  std::uint64_t given = 0;  // network

  PairMessages& operator+=(PairMessages const& more) {
    sent += more.sent;
    other += more.other;
    given += more.given;
    return *this;
  }
};

PairMessages messages_of(PeerRow const& row) {
  switch (row.traffic_class) {
    case TrafficClass::p2p:
      return {.sent = row.messages};
    case TrafficClass::network:
      return {.given = row.messages};
    default:
      return {.other = row.messages};
  }
}

}  // namespace

bool observes_transport(Run const& run) {
  auto const option = run.options.find("COMMPROF_TRANSPORT");
  return option != run.options.end() && option->second == "1";
}

std::optional<SeenByTransport> read_seen_by_transport(Profile const& profile) {
  if (!observes_transport(profile.run()) || !has_rows_of(profile.run(), {})) return std::nullopt;
  Overview const overview = read_overview(profile, {});
  auto const pair = [](PeerRow const& row) {
    return row.from == row.to ? std::nullopt : std::optional(RankPair{row.from, row.to});
  };
  auto sums = group_by<PeerRow>(profile, every_row, Grouping(pair, messages_of, SortedSums<RankPair, PairMessages>()));
  SeenByTransport seen;
  bool lacks_some = false, lacks_some_between_hosts = false, has_unknown_ends = false;
  for (auto const& [ends, of_pair] : sums.take()) {
    if (ends.from == other_world || ends.to == other_world) {
      has_unknown_ends |= of_pair.given > 0;
      continue;
    }
    bool const is_between_hosts = overview.host_of_rank[static_cast<std::size_t>(ends.from)] !=
                                  overview.host_of_rank[static_cast<std::size_t>(ends.to)];
    seen.messages += of_pair.sent;
    if (of_pair.given > 0) {
      // One call of the program is one call to the transport, or several.
      lacks_some |= of_pair.given < of_pair.sent;
      lacks_some_between_hosts |= is_between_hosts && of_pair.given < of_pair.sent;
      seen.has_all = true;
      seen.has_all_between_hosts |= is_between_hosts;
      continue;
    }
    seen.unseen += of_pair.sent;
    seen.unseen_pairs += of_pair.sent > 0 ? 1 : 0;
    lacks_some = true;
    lacks_some_between_hosts |= is_between_hosts;
  }
  seen.has_all &= !lacks_some && !has_unknown_ends;
  seen.has_all_between_hosts &= !lacks_some_between_hosts && !has_unknown_ends;
  return seen;
}

std::string describe_unseen(std::optional<SeenByTransport> const& seen) {
  if (!seen || seen->unseen == 0) return "";
  return fmt::format("was given nothing for {} of {} messages of the program, those of {} of ranks",
                     format_count(seen->unseen), format_count(seen->messages),
                     format_number_of(seen->unseen_pairs, "pair"));
}

std::optional<double> read_bytes_given_for_each(Profile const& profile) {
  auto const& messages = profile.run().messages;
  if (!messages || messages->network.messages == 0) return std::nullopt;
  Summary const calls = summarise(profile, {}, {{by_comm | by_op}});
  return share_of(messages->network.bytes, messages->of_program.bytes + bytes_of_collectives(calls));
}

void prefer_transport(Selection& selection, std::optional<SeenByTransport> const& seen, Load load) {
  bool const has_load = seen && (load == Load::of_machine ? seen->has_all : seen->has_all_between_hosts);
  bool const is_free =
      selection.classes.empty() && selection.communicators.empty() && selection.operations.empty() && !selection.sizes;
  if (has_load && is_free) selection.classes = {TrafficClass::network};
}

bool is_of_transport(Selection const& selection) { return selection.classes == std::vector{TrafficClass::network}; }

}  // namespace mpisee_through
