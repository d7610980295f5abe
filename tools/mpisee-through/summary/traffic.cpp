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
using PairAmounts = SortedSums<Ends, Amount>;

Ends ends_of(PairTraffic const& pair) { return {pair.from, pair.to}; }

template <class Row>
auto by_class() {
  return Grouping(&Row::traffic_class, amount_of<Row>, IndexedSums<classes_with_estimate.size(), Amount>());
}

void add_classes(MessageSums& sums, std::array<Amount, classes_with_estimate.size()> const& by_class) {
  sums.by_class = by_class;
  for (Amount const& amount : by_class) sums.total += amount;
}

enum class By : std::uint8_t { rank, host };

MessageSums add_up_messages(Profile const& profile, Selection const& selection, Overview const& overview, By by,
                            bool has_sizes) {
  auto const host_of = [&overview](WorldRank rank) {
    return rank == other_world ? rank : static_cast<WorldRank>(overview.host_of_rank[static_cast<std::size_t>(rank)]);
  };
  auto const are_on_one_host = [host_of](PeerRow const& row) {
    return row.from != other_world && host_of(row.from) == host_of(row.to);
  };
  auto const ends = [host_of, by](PeerRow const& row) {
    return by == By::rank ? Ends{row.from, row.to} : Ends{host_of(row.from), host_of(row.to)};
  };
  auto const sized_ends = [ends, has_sizes](PeerRow const& row) {
    return has_sizes ? std::optional(std::pair(ends(row), row.size)) : std::nullopt;
  };
  auto const amount = amount_of<PeerRow>;
  auto [classes, by_host, pairs, sizes] =
      group_messages(profile, selection, by_class<PeerRow>(),
                     Grouping(are_on_one_host, amount, IndexedSums<2, Amount>()), Grouping(ends, amount, PairAmounts()),
                     Grouping(sized_ends, amount, SortedSums<std::pair<Ends, SizeBin>, Amount>()));
  MessageSums messages;
  add_classes(messages, classes.all());
  messages.within_hosts = by_host[true];
  for (auto const& [key, sum] : pairs.take()) messages.pairs.push_back({key.first, key.second, sum});
  for (auto const& [key, sum] : sizes.take())
    messages.sizes.push_back({{key.first.first, key.first.second, sum}, key.second});
  return messages;
}

Traffic read_traffic(Profile const& profile, Selection const& selection, By by, bool has_sizes) {
  Traffic traffic;
  static_cast<Overview&>(traffic) = read_overview(profile, selection);
  static_cast<MessageSums&>(traffic) = add_up_messages(profile, selection, traffic, by, has_sizes);
  traffic.has_sizes = has_sizes;
  traffic.is_by_host = by == By::host;
  traffic.bytes_sent = read_bytes_sent(profile, selection);
  traffic.has_estimate = has_estimate(selection);
  return traffic;
}

// Reads the sums by host that the profile has.
Traffic read_host_pairs(Profile const& profile, Selection const& selection) {
  Traffic traffic;
  static_cast<Overview&>(traffic) = read_overview(profile, selection);
  traffic.is_by_host = true;
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
  auto const is_unknown = [](HostPairRow const& row) { return row.from == commprof::schema::several; };
  auto const ends = [is_unknown, from = find, to = find](HostPairRow const& row) mutable {
    return is_unknown(row) ? std::nullopt : std::optional(Ends{from(row.from), to(row.to)});
  };
  Where const has_class([&](HostPairRow const& row) { return selection.selects(row.traffic_class); });
  auto const amount = amount_of<HostPairRow>;
  auto [classes, unknown, pairs] = group_by<HostPairRow>(profile, has_class, by_class<HostPairRow>(),
                                                         Grouping(is_unknown, amount, IndexedSums<2, Amount>()),
                                                         Grouping(ends, amount, PairAmounts()));
  add_classes(traffic, classes.all());
  traffic.of_unknown_hosts = unknown[true];
  for (auto const& [key, sum] : pairs.take()) {
    traffic.pairs.push_back({key.first, key.second, sum});
    if (key.first == key.second) traffic.within_hosts += sum;
  }
  return traffic;
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

Traffic add_up_traffic(Profile const& profile, Selection const& selection, bool has_sizes) {
  return read_traffic(profile, selection, By::rank, has_sizes);
}

Traffic add_up_traffic_by_host(Profile const& profile, Selection const& selection, bool has_sizes) {
  bool const has_sums = !has_sizes && !has_estimate(selection) && selection.selects_all_but_classes();
  if (has_sums && !has_rows_of(profile.run(), selection)) return read_host_pairs(profile, selection);
  require_rows(profile, selection, "a part of --by host");
  return read_traffic(profile, selection, By::host, has_sizes);
}

MessageSums add_up_messages(Profile const& profile, Selection const& selection, Overview const& overview) {
  return add_up_messages(profile, selection, overview, By::rank, false);
}

std::vector<std::size_t> busiest_pairs(MessageSums const& traffic, Measure measure) {
  std::vector<std::size_t> order(traffic.pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t pair) { return traffic.pairs[pair].amount.of(measure); });
  return order;
}

std::vector<SizedTraffic> sizes_of_all(MessageSums const& traffic) {
  std::map<SizeBin, SizedTraffic> sums;
  for (SizedTraffic const& one : traffic.sizes)
    sums.try_emplace(one.size, SizedTraffic{{}, one.size}).first->second.amount += one.amount;
  std::vector<SizedTraffic> sizes;
  for (auto const& [size, sum] : sums) sizes.push_back(sum);
  return sizes;
}

std::span<SizedTraffic const> sizes_of(MessageSums const& traffic, PairTraffic const& pair) {
  return with_key(traffic.sizes, ends_of(pair), ends_of);
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
  std::string const what =
      bytes_of_messages == 0
          ? fmt::format("Collectives and files send all of the {}.", format_bytes(*sent))
          : fmt::format("These messages are {} of the {} that calls send: collectives and files are not among them.",
                        format_share(share), format_bytes(*sent));
  return what + " --matrix --class estimate shows what collectives may send.";
}

bool observes_transport(Run const& run) {
  auto const option = run.options.find("COMMPROF_TRANSPORT");
  return option != run.options.end() && option->second == "1";
}

void prefer_transport(Profile const& profile, Selection& selection, Load load) {
  bool const is_free =
      selection.classes.empty() && selection.communicators.empty() && selection.operations.empty() && !selection.sizes;
  if (!is_free || !observes_transport(profile.run()) || !has_rows_of(profile.run(), {})) return;
  Overview const overview = read_overview(profile, {});
  auto const pairs_of = [&](TrafficClass one) {
    Selection const of_class{.classes = {one}};
    return add_up_messages(profile, of_class, overview).pairs;
  };
  auto const is_in_run = [](PairTraffic const& pair) { return pair.from != other_world && pair.to != other_world; };
  auto const counts = [&](PairTraffic const& pair) {
    return is_in_run(pair) && pair.from != pair.to &&
           (load == Load::of_machine || overview.host_of(pair.from) != overview.host_of(pair.to));
  };
  std::vector<PairTraffic> const given = pairs_of(TrafficClass::network), sent = pairs_of(TrafficClass::p2p);
  // One call of the program is one call to the transport, or several.
  auto const is_given = [&](PairTraffic const& pair) {
    auto const found = std::ranges::lower_bound(given, ends_of(pair), {}, ends_of);
    return found != given.end() && ends_of(*found) == ends_of(pair) && found->amount.messages >= pair.amount.messages;
  };
  bool const has_all = std::ranges::all_of(given, is_in_run) && std::ranges::all_of(sent, [&](PairTraffic const& pair) {
                         return !counts(pair) || is_given(pair);
                       });
  if (has_all && std::ranges::any_of(given, counts)) selection.classes = {TrafficClass::network};
}

bool is_of_transport(Selection const& selection) { return selection.classes == std::vector{TrafficClass::network}; }

}  // namespace mpisee_through
