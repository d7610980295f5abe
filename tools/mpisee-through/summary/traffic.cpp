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
    messages.sizes.push_back({key.first.first, key.first.second, key.second, sum});
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
    ranks->erase(std::ranges::unique(*ranks).begin(), ranks->end());
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

std::uint64_t bytes_of_collectives(Summary const& summary) {
  std::uint64_t bytes = 0;
  for (Cell const& one : summary.operations())
    if (direction_of(summary.name_of(one.operation)))
      bytes += std::max(one.totals.bytes_sent, one.totals.bytes_received);
  return bytes;
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

std::vector<SizeAmount> sizes_of_all(MessageSums const& traffic) {
  std::map<SizeBin, Amount> sums;
  for (SizedTraffic const& one : traffic.sizes) sums[one.size] += one.amount;
  std::vector<SizeAmount> sizes;
  for (auto const& [size, amount] : sums) sizes.push_back({size, amount});
  return sizes;
}

std::vector<SizeAmount> sizes_of(MessageSums const& traffic, PairTraffic const& pair) {
  auto const ends_of = [](auto const& one) { return std::pair(one.from, one.to); };
  std::vector<SizeAmount> sizes;
  for (SizedTraffic const& one : with_key(traffic.sizes, ends_of(pair), ends_of))
    sizes.push_back({one.size, one.amount});
  return sizes;
}

std::uint64_t bytes_sent(Summary const& summary) {
  std::uint64_t sent = bytes_of_collectives(summary);
  for (Cell const& one : summary.operations())
    if (!direction_of(summary.name_of(one.operation))) sent += one.totals.bytes_sent;
  return sent;
}

bool are_part_of_bytes_sent(Profile const& profile, Selection const& selection) {
  bool const has_collectives =
      std::ranges::any_of(selection.classes, [](TrafficClass one) { return one >= TrafficClass::internal; });
  bool const has_messages =
      selection.classes.empty() || std::ranges::find(selection.classes, TrafficClass::p2p) != selection.classes.end();
  return !profile.run().has_only_sums() && selection.selects_all_but_classes() && has_messages && !has_collectives;
}

std::optional<std::uint64_t> read_bytes_sent(Profile const& profile, Selection const& selection) {
  if (!are_part_of_bytes_sent(profile, selection)) return std::nullopt;
  return bytes_sent(summarise(profile, {}, {{by_comm | by_op}}));
}

std::string part_of_bytes_sent(std::uint64_t bytes_of_messages, std::optional<std::uint64_t> sent) {
  constexpr double nearly_all = 0.9;
  auto const share = share_of(bytes_of_messages, sent.value_or(0));
  if (share.value_or(1) >= nearly_all) return "";
  if (bytes_of_messages == 0) return fmt::format("Collectives and files send all of the {}.", format_bytes(*sent));
  return fmt::format("These messages are {} of the {} that calls send: collectives and files are not among them.",
                     format_share(share), format_bytes(*sent));
}

std::string with_estimate(std::string const& part) {
  return part.empty() ? part : part + " --class estimate shows what collectives may send.";
}

bool observes_transport(Run const& run) {
  auto const option = run.options.find("COMMPROF_TRANSPORT");
  return option != run.options.end() && option->second == "1";
}

void prefer_transport(Profile const& profile, Selection& selection, Load load) {
  bool const is_free =
      selection.classes.empty() && selection.communicators.empty() && selection.operations.empty() && !selection.sizes;
  if (!is_free || !observes_transport(profile.run()) || !has_rows_of(profile.run(), {})) return;
  struct Messages {
    std::uint64_t sent, given;  // of classes p2p and network

    void operator+=(Messages const& more) {
      sent += more.sent;
      given += more.given;
    }
  };
  auto const ends = [](PeerRow const& row) {
    return row.from == row.to ? std::nullopt : std::optional(Ends{row.from, row.to});
  };
  auto const counted = [](PeerRow const& row) {
    return Messages{row.traffic_class == TrafficClass::p2p ? row.messages : 0,
                    row.traffic_class == TrafficClass::network ? row.messages : 0};
  };
  auto pairs = group_by<PeerRow>(profile, every_row, Grouping(ends, counted, SortedSums<Ends, Messages>()));
  std::vector<HostIndex> const hosts = read_overview(profile, {}).host_of_rank;
  bool has_some = false;
  for (auto const& [pair, messages] : pairs.take()) {
    auto const [from, to] = pair;
    bool const is_known = from != other_world && to != other_world;
    if (!is_known && messages.given > 0) return;
    bool const counts = is_known && (load == Load::of_machine ||
                                     hosts[static_cast<std::size_t>(from)] != hosts[static_cast<std::size_t>(to)]);
    // One call of the program is one call to the transport, or several.
    if (counts && (messages.given == 0 || messages.given < messages.sent)) return;
    has_some |= counts;
  }
  if (has_some) selection.classes = {TrafficClass::network};
}

bool is_of_transport(Selection const& selection) { return selection.classes == std::vector{TrafficClass::network}; }

}  // namespace mpisee_through
