#include "summary/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "calls/rules.hpp"
#include "files/visible_text.hpp"
#include "summary/operation_kind.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using Ends = std::pair<WorldRank, WorldRank>;
using SizedSums = SortedSums<std::pair<Ends, SizeBin>, Amount>;
using ClassSums = IndexedSums<classes_with_estimate.size(), Amount>;

// place: the ends of a row, and its size.
template <class Row, class Place>
auto groupings(Place place) {
  return std::pair(Grouping(&Row::traffic_class, amount_of<Row>, ClassSums()),
                   Grouping(std::move(place), amount_of<Row>, SizedSums()));
}

MessageSums messages_of(ClassSums const& classes, SizedSums&& sums, bool has_sizes) {
  MessageSums messages;
  messages.by_class = classes.all();
  for (Amount const& amount : messages.by_class) messages.total += amount;
  for (auto const& [place, sum] : sums.take()) {
    auto const& [ends, size] = place;
    bool const is_known = !messages.pairs.empty() && messages.pairs.back().ends() == ends;
    if (!is_known) messages.pairs.push_back({ends.first, ends.second, {}});
    messages.pairs.back().amount += sum;
    if (has_sizes) messages.sizes.push_back({{ends.first, ends.second, sum}, size});
  }
  return messages;
}

// Reads the sums by host that the profile has.
void read_host_pairs(Traffic& traffic, Profile const& profile, Selection const& selection) {
  std::map<std::string, WorldRank, std::less<>> hosts{{"", other_world}};
  for (std::string const& name : traffic.host_names)
    hosts.emplace(name, static_cast<WorldRank>(&name - traffic.host_names.data()));
  auto const find = [&hosts, known = Memo<WorldRank>()](std::string_view host) mutable {
    return known.get(host, [&] {
      auto const found = hosts.find(visible(host));
      if (found == hosts.end()) throw RowProblem(fmt::format("\"{}\" is a host of no rank", visible(host)));
      return found->second;
    });
  };
  constexpr Ends unknown{other_world, other_world};
  auto const place = [&unknown, from = find, to = find](HostPairRow const& row) mutable {
    bool const is_unknown = row.from == commprof::schema::several;
    return std::pair(is_unknown ? unknown : Ends{from(row.from), to(row.to)}, SizeBin{});
  };
  Where const has_class([&](HostPairRow const& row) { return selection.selects(row.traffic_class); });
  auto const [by_class, by_ends] = groupings<HostPairRow>(place);
  auto [classes, sums] = group_by<HostPairRow>(profile, has_class, by_class, by_ends);
  static_cast<MessageSums&>(traffic) = messages_of(classes, std::move(sums), false);
  for (PairTraffic const& pair : traffic.pairs)
    if (pair.from == pair.to) (pair.ends() == unknown ? traffic.of_unknown_hosts : traffic.within_hosts) += pair.amount;
  std::erase_if(traffic.pairs, [&](PairTraffic const& pair) { return pair.ends() == unknown; });
}

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

// The ranks between which and those that count bytes data moves: the likely root, or all ranks.
std::vector<WorldRank> partners_in(std::span<Cell const> calls, Flow flow) {
  std::vector<WorldRank> all, without_bytes;
  for (Cell const& one : calls) {
    all.push_back(one.rank);
    if (one.totals.bytes() == 0) without_bytes.push_back(one.rank);
  }
  for (auto* const ranks : {&all, &without_bytes}) {
    std::ranges::sort(*ranks);
    ranks->erase(std::unique(ranks->begin(), ranks->end()), ranks->end());
  }
  if (flow == Flow::from_byteless && !without_bytes.empty()) return without_bytes;
  if (flow == Flow::from_byteless || flow == Flow::from_root || flow == Flow::to_root) all.resize(1);
  return all;
}

// The messages of a collective operation on a communicator, from its calls by size and rank.
void estimate_messages(Summary const& summary, std::span<Cell const> calls, Flow flow,
                       std::function<void(PeerRow const&)> const& take) {
  constexpr std::size_t most_pairs = std::size_t{1} << 26U;
  CommunicatorSummary const& communicator = summary.communicator(calls.front().communicator);
  std::vector<WorldRank> const partners = partners_in(calls, flow);
  if (calls.size() * partners.size() > most_pairs)
    throw SelectionError(fmt::format("--class {}: {} pairs of ranks in calls, {} at most",
                                     name_of(TrafficClass::estimate), calls.size() * partners.size(), most_pairs));
  bool const receives = flow == Flow::from_others || flow == Flow::from_byteless || flow == Flow::from_root;
  for (Cell const& one : calls) {
    // Evenly over the others; the first ones get what cannot be divided. Of an Alltoall, a block stays. A profile may
    // lack ranks of the communicator: what they get is left out.
    bool const has_own_part = flow == Flow::to_all;
    std::uint64_t const others = partners.size() - (std::ranges::binary_search(partners, one.rank) ? 1 : 0),
                        parts = has_own_part ? std::max(communicator.size, others + 1) : others,
                        bytes = std::max(one.totals.bytes_sent, one.totals.bytes_received);
    std::uint64_t number = 0;
    for (WorldRank const other : partners) {
      if (bytes == 0 || (other == one.rank && !has_own_part)) continue;
      auto const part = [&](std::uint64_t all) { return all / parts + (number < all % parts ? 1 : 0); };
      auto const [from, to] = receives ? std::pair(other, one.rank) : std::pair(one.rank, other);
      std::uint64_t const messages = flow == Flow::from_byteless ? part(one.totals.calls) : one.totals.calls;
      if (other != one.rank)
        take({"", communicator.name, TrafficClass::estimate, from, to, one.size, messages, part(bytes),
              summary.name_of(one.operation)});
      ++number;
    }
  }
}

}  // namespace

void estimate_messages(Profile const& profile, Selection const& selection,
                       std::function<void(PeerRow const&)> const& take) {
  Selection const calls{
      .communicators = selection.communicators, .operations = selection.operations, .regions = selection.regions};
  Selection messages = selection;
  messages.communicators = messages.operations = messages.regions = {};
  RowFilter filter(messages, nullptr);
  constexpr Keys keys = by_comm | by_op | by_size | by_rank;
  Summary const summary = summarise(profile, calls, {{keys, CellList::With::totals}});
  std::span<Cell const> rest = summary.cells(keys);
  while (!rest.empty()) {
    auto const of_call = cells_of(summary.cells(keys), rest.front().communicator, rest.front().operation);
    rest = rest.subspan(of_call.size());
    auto const flow = flow_of(summary.name_of(of_call.front().operation));
    CommunicatorSummary const& communicator = summary.communicator(of_call.front().communicator);
    if (!flow || communicator.size == 1 || has_unknown_groups(communicator.name)) continue;
    estimate_messages(summary, of_call, *flow, [&](PeerRow const& row) {
      if (filter.selects(row)) take(row);
    });
  }
}

MessageSums add_up_messages(Profile const& profile, Selection const& selection, Overview const& overview, bool by_host,
                            bool has_sizes) {
  auto const host_of = [&overview](WorldRank rank) {
    return rank == other_world ? rank : static_cast<WorldRank>(overview.host_of_rank[static_cast<std::size_t>(rank)]);
  };
  auto const place = [=](PeerRow const& row) {
    Ends const ends = by_host ? Ends{host_of(row.from), host_of(row.to)} : Ends{row.from, row.to};
    return std::pair(ends, has_sizes ? row.size : SizeBin{});
  };
  auto const [by_class, by_ends] = groupings<PeerRow>(place);
  auto [classes, sums] = group_messages(profile, selection, by_class, by_ends);
  MessageSums messages = messages_of(classes, std::move(sums), has_sizes);
  for (auto const& [from, to, amount] : messages.pairs)
    if (from != other_world && (by_host ? from == to : host_of(from) == host_of(to))) messages.within_hosts += amount;
  return messages;
}

Traffic add_up_traffic(Profile const& profile, Selection const& selection, bool by_host, bool has_sizes) {
  bool const has_sums = by_host && !has_sizes && !has_estimate(selection) && selection.selects_all_but_classes();
  bool const takes_sums = has_sums && !has_rows_of(profile.run(), selection);
  if (by_host && !takes_sums) require_rows(profile, selection, "a part of --by host");
  Traffic traffic;
  static_cast<Overview&>(traffic) = read_overview(profile, selection);
  traffic.has_sizes = has_sizes;
  traffic.is_by_host = by_host;
  traffic.has_estimate = has_estimate(selection);
  if (takes_sums) {
    read_host_pairs(traffic, profile, selection);
    return traffic;
  }
  static_cast<MessageSums&>(traffic) = add_up_messages(profile, selection, traffic, by_host, has_sizes);
  traffic.bytes_sent = read_bytes_sent(profile, selection);
  return traffic;
}

std::uint64_t bytes_sent(Summary const& summary) {
  std::uint64_t sent = 0;
  for (Cell const& one : summary.operations()) {
    bool const is_collective = direction_of(summary.name_of(one.operation)).has_value();
    sent += is_collective ? std::max(one.totals.bytes_sent, one.totals.bytes_received) : one.totals.bytes_sent;
  }
  return sent;
}

std::optional<std::uint64_t> read_bytes_sent(Profile const& profile, Selection const& selection) {
  bool const has_collectives =
      std::ranges::any_of(selection.classes, [](TrafficClass one) { return one >= TrafficClass::internal; });
  bool const has_messages =
      selection.classes.empty() || std::ranges::find(selection.classes, TrafficClass::p2p) != selection.classes.end();
  if (profile.run().has_only_sums() || !selection.selects_all_but_classes() || !has_messages || has_collectives)
    return std::nullopt;
  return bytes_sent(summarise(profile, {}, {{by_comm | by_op}}));
}

std::string part_of_bytes_sent(std::uint64_t bytes_of_messages, std::optional<std::uint64_t> sent) {
  constexpr double nearly_all = 0.9;
  auto const share = share_of(bytes_of_messages, sent.value_or(0));
  if (share.value_or(1) >= nearly_all) return "";
  return fmt::format(
      "These messages are {} of the {} that calls send: collectives and files are not among them. --matrix --class "
      "estimate shows what collectives may send.",
      format_share(share), format_bytes(*sent));
}

bool observes_transport(Run const& run) {
  auto const option = run.options.find("COMMPROF_TRANSPORT");
  return option != run.options.end() && option->second == "1";
}

}  // namespace mpisee_through
