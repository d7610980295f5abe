// Sums the messages of a profile for each pair of ranks, and compares what the MPI gave to its transport (class
// network) with what the program sent.
//
// The rows of peers.csv are summed as they are read, over communicators, regions, classes and, unless requested, sizes.
// So memory grows with the number of different pairs, not with the number of rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "files/names.hpp"
#include "reader/group_by.hpp"
#include "summary/overview.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

enum class Measure { bytes, messages };
inline constexpr Names<Measure, 2> measures{{{{Measure::bytes, "bytes"}, {Measure::messages, "messages"}}}};

struct Amount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] std::uint64_t of(Measure measure) const { return measure == Measure::bytes ? bytes : messages; }
  Amount& operator+=(Amount const& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  bool operator==(Amount const&) const = default;
};
template <class Row>
[[nodiscard]] Amount amount_of(Row const& row) {
  return {row.messages, row.bytes};
}

[[nodiscard]] inline bool has_estimate(Selection const& selection) {
  return std::ranges::count(selection.classes, TrafficClass::estimate) > 0;
}

// Estimates which rank sends how much to which other one in the selected collective calls, for profiles that lack the
// MPI's own messages. Calls among all spread a rank's bytes evenly over the others, except its own block of an
// Alltoall; calls with a root move them from or to it, except the root's own block. What the MPI really sends depends
// on its algorithms. Calls on folded communicators, on intercommunicators and on those with processes of other worlds
// are left out: the profile does not say which ranks were together in one, or in a group.
//
// Calls take() for each selected pair and size of each operation on each communicator. The text of rows is valid within
// the call. Throws ProfileError, and SelectionError for more pairs than can be estimated in seconds.
void estimate_messages(Profile const& profile, Selection const& selection,
                       std::function<void(PeerRow const&)> const& take);

// Groups the selected rows of peers.csv, and the estimate for collectives if it is selected. Throws ProfileError;
// throws SelectionError for a pattern or rank that matches nothing.
template <class... Groupings>
auto group_messages(Profile const& profile, Selection const& selection, Groupings const&... groupings) {
  check_ranks("--from", selection.from, profile.run());
  check_ranks("--to", selection.to, profile.run());
  RowFilter filter(profile, selection);
  auto sums = group_by<PeerRow>(profile, filter, groupings...);
  if (!has_estimate(selection)) {
    filter.check(profile, "operation behind a message");
    return sums;
  }
  auto estimates = std::tuple(groupings...);
  estimate_messages(profile, selection,
                    [&](PeerRow const& row) { std::apply([&](auto&... one) { (one.add(row), ...); }, estimates); });
  if constexpr (sizeof...(Groupings) == 1) sums.add(std::get<0>(estimates).take());
  else [&]<std::size_t... i>(std::index_sequence<i...>) {
      (std::get<i>(sums).add(std::get<i>(estimates).take()), ...);
    }
  (std::index_sequence_for<Groupings...>());
  return sums;
}

// Data from one end to the other. An end can be other_world.
struct PairTraffic {
  WorldRank from;
  WorldRank to;
  Amount amount;

  [[nodiscard]] std::pair<WorldRank, WorldRank> ends() const { return {from, to}; }
};

struct SizedTraffic : PairTraffic {
  SizeBin size;
};

// The sums of selected messages.
struct MessageSums {
  std::vector<PairTraffic> pairs;   // ascending, by from, then by to
  std::vector<SizedTraffic> sizes;  // sorted by from, to, size; only where asked for
  Amount total;
  std::array<Amount, classes_with_estimate.size()> by_class;
  Amount within_hosts;  // both ends on one host, including a rank's messages to itself

  [[nodiscard]] Amount const& of(TrafficClass one) const { return by_class[static_cast<std::size_t>(one)]; }
};

struct Traffic : Overview, MessageSums {
  bool has_sizes = false;
  bool is_by_host = false;                    // ends of pairs are indices into host_names instead of ranks
  Amount of_unknown_hosts;                    // part of the total that is in no pair; only if pairs are by host
  std::optional<std::uint64_t> bytes_sent{};  // by all calls, as read_bytes_sent() has it
  bool has_estimate = false;                  // an estimate is selected
};

// Reads the profile to its end. by_host: sums by pairs of hosts; if the profile has only sums over ranks, messages can
// be selected by class alone. Throws ProfileError and SelectionError.
[[nodiscard]] Traffic add_up_traffic(Profile const& profile, Selection const& selection, bool by_host = false,
                                     bool has_sizes = false);

// The caller has the overview of the profile already.
[[nodiscard]] MessageSums add_up_messages(Profile const& profile, Selection const& selection, Overview const& overview,
                                          bool by_host = false, bool has_sizes = false);

// The bytes that all calls of a summary send, in messages, collectives and files. Collectives in which only receivers
// count bytes, such as a broadcast, count with these.
[[nodiscard]] std::uint64_t bytes_sent(Summary const& summary);
// Reads them. Nothing if the selected messages cannot be compared with them: if only messages of some ranks,
// communicators … or those inside collectives are selected, or if the profile has only sums.
[[nodiscard]] std::optional<std::uint64_t> read_bytes_sent(Profile const& profile, Selection const& selection);
// A sentence for messages with less than 90 % of the bytes sent; empty if they have more, or if these are unknown.
[[nodiscard]] std::string part_of_bytes_sent(std::uint64_t bytes_of_messages, std::optional<std::uint64_t> sent);

// Whether the run counted what the MPI gives to its transport (COMMPROF_TRANSPORT=1).
[[nodiscard]] bool observes_transport(Run const& run);
// The placements that launchers make without being asked for another one: of each rank, the index of its host.
//
// Fills one host after the other. room: the number of ranks on each host.
[[nodiscard]] inline std::vector<std::size_t> dealt_in_blocks(std::vector<std::size_t> const& room) {
  std::vector<std::size_t> hosts;
  for (std::size_t host = 0; host < room.size(); ++host) hosts.insert(hosts.end(), room[host], host);
  return hosts;
}

// Deals ranks to the hosts in turn, leaving out those that are full.
[[nodiscard]] inline std::vector<std::size_t> dealt_in_turn(std::vector<std::size_t> const& room) {
  std::vector<std::size_t> hosts;
  for (std::size_t round = 0, before = 1; before != hosts.size(); ++round) {
    before = hosts.size();
    for (std::size_t host = 0; host < room.size(); ++host)
      if (round < room[host]) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace mpisee_through
