#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "fabric/links_view.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

std::string name_of(LinkFilling::Part const& part) { return part.name; }
std::string name_of(PairTraffic const& pair) {
  return fmt::format("{} to {}", static_cast<std::uint32_t>(pair.from), static_cast<std::uint32_t>(pair.to));
}

// Lists the parts: "W 80.0 %, W_s1.0 20.0 %".
template <class Parts>
std::string list_parts(Parts const& parts, std::uint64_t whole, Measure measure) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", name_of(parts[i]),
                        format_share(share_of(parts[i].amount.of(measure), whole)));
  return parts.size() > most ? fmt::format("{}, {} more", text, format_count(parts.size() - most)) : text;
}

std::string text_of(LinkRow const& row, Measure measure) {
  auto const list = [&](auto const& parts) { return list_parts(parts, row.amount.of(measure), measure); };
  LinkFilling const& filling = *row.filling;
  bool const has_regions =
      filling.regions.size() > 1 || (!filling.regions.empty() && filling.regions[0].name != "main");
  return fmt::format("    on {}; {}\n", list(filling.communicators), list(filling.operations)) +
         (has_regions ? fmt::format("    in {}\n", list(filling.regions)) : "") +
         fmt::format("    ranks {}\n", list(filling.pairs));
}

// Ranges of powers of two: there may be as many different congestions as routes.
struct CongestionRange {
  std::uint64_t low, high, routes, all_routes;
};

std::vector<CongestionRange> ranges_of(Congestion const& congestion) {
  std::vector<CongestionRange> ranges;
  auto const end = congestion.routes_with.end();
  for (std::uint64_t low = 1; low != 0 && low <= congestion.most; low *= 2) {
    std::uint64_t const high = 2 * low - 1;
    std::uint64_t routes = 0;
    for (auto one = congestion.routes_with.lower_bound(low); one != end && one->first <= high; ++one)
      routes += one->second;
    ranges.push_back({low, high, routes, congestion.routes});
  }
  return ranges;
}

std::string range_in_words(CongestionRange const& one) {
  return one.low == one.high ? format_count(one.low)
                             : fmt::format("{}-{}", format_count(one.low), format_count(one.high));
}

std::string congestion_in_words(Congestion const& congestion) {
  return fmt::format(
      "Congestion: routes through the fullest link of a route; at most {}, {:.2f} in the mean, {} in sum\n",
      format_count(congestion.most), congestion.mean(), format_count(congestion.sum_max));
}

table::View<CongestionRange> const& view_of_congestion() {
  using Line = CongestionRange;
  static table::View<Line> const view{
      .name = "congestion",
      .columns = {
          {"range", "Congestion", Kind::figure, range_in_words},
          {"routes", "Routes", Kind::count, &Line::routes},
          {"part", "Part", Kind::share, [](Line const& line) { return share_of(line.routes, line.all_routes); }},
          {"bar", " ", Kind::bar, [](Line const& line) { return format_bar(line.routes, line.all_routes); }}}};
  return view;
}

std::string describe(Fabric const& fabric) {
  std::vector<std::uint64_t> of_level(fabric.levels() + 1);
  for (FabricNode const& node : fabric.nodes)
    if (!node.is_switch || node.level > 0) ++of_level[node.level];
  std::string text = format_number_of(of_level[0], "adapter");
  for (std::size_t i = 1; i < of_level.size(); ++i)
    text += fmt::format(", {} {}", format_count(of_level[i]),
                        i == 1 ? (of_level[i] == 1 ? "leaf" : "leaves")
                               : name_of_level(static_cast<unsigned>(i)) + (of_level[i] == 1 ? "" : "s"));
  std::uint64_t cables = 0;
  for (FabricLink const& link : fabric.links) cables += link.back == no_link ? 0 : 1;
  return text + ", " + format_number_of(cables / 2, "cable");
}

std::string describe(Amount const& amount) {
  return fmt::format("{} with {}", format_number_of(amount.messages, "message"), format_bytes(amount.bytes));
}

// The lines of links, the busiest first, as many as are shown, and what fills them.
struct LinkLines {
  std::size_t all = 0;
  std::shared_ptr<std::vector<LinkFilling> const> fillings{};
  std::vector<LinkRow> rows{};
};
LinkLines lines_of(LinkTraffic& traffic, LinksLayout const& layout) {
  std::vector<LinkIndex> const links = busiest_links(traffic.loads, layout.by);
  auto const shown = table::first_of(links, layout.top);
  LinkLines lines{.all = links.size()};
  lines.fillings = std::make_shared<std::vector<LinkFilling>>(fill(traffic.routes, traffic.messages, shown, layout.by));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    lines.rows.push_back(row_of(traffic, shown[i]));
    lines.rows.back().filling = &(*lines.fillings)[i];
  }
  return lines;
}

// A part of what fills a link.
struct FillingLine {
  LinkRow link;
  std::string_view kind;
  std::string name;
  Amount amount;
};

table::Table table_of_fillings(LinkLines const& lines) {
  std::vector<FillingLine> parts;
  for (LinkRow const& row : lines.rows) {
    auto const add = [&](std::string_view kind, auto const& list) {
      for (auto const& one : list) parts.push_back({row, kind, name_of(one), one.amount});
    };
    add("communicator", row.filling->communicators);
    add("operation", row.filling->operations);
    add("region", row.filling->regions);
    add("pair", table::first_of(row.filling->pairs, 10));
  }
  table::View<FillingLine> const view{
      .name = "fillings",
      .columns = {{"node", "", Kind::name, [](FillingLine const& one) { return one.link.node; }},
                  {"port", "", Kind::number, [](FillingLine const& one) { return one.link.port; }},
                  {"kind", "", Kind::name, &FillingLine::kind},
                  {"name", "", Kind::name, &FillingLine::name},
                  {"bytes", "", Kind::bytes, [](FillingLine const& one) { return one.amount.bytes; }},
                  {"messages", "", Kind::count, [](FillingLine const& one) { return one.amount.messages; }}}};
  table::Table table = table_of(view, std::move(parts));
  table.in = In::json;
  return table;
}

}  // namespace

std::vector<Note> facts_of(LinkTraffic const& traffic) {
  Fabric const& fabric = traffic.fabric();
  LinkMessages const& messages = traffic.messages;
  std::vector<Note> facts{{"Fabric", describe(fabric)}};
  for (std::string const& note : fabric.notes) facts.emplace_back(" ", note);
  if (traffic.is_of_transport) facts.emplace_back("Traffic", std::string(traffic_of_transport));
  if (std::string part = describe_unseen(traffic.seen_by_transport); !part.empty())
    facts.emplace_back("Transport", std::move(part));
  facts.emplace_back("On links", describe(messages.on_links));
  if (messages.within_hosts.messages > 0)
    facts.emplace_back("Not there", describe(messages.within_hosts) +
                                        " within hosts: through shared memory, or not; they are in no sum here");
  if (messages.other_worlds.messages > 0)
    facts.emplace_back("Not there",
                       describe(messages.other_worlds) + " from or to other worlds, whose hosts are in other profiles");
  if (messages.unknown_hosts.messages > 0)
    facts.emplace_back("Not there", describe(messages.unknown_hosts) + " from or to ranks whose hosts are not known");
  if (!messages.has_internal && !traffic.is_of_transport)
    facts.emplace_back("Not known",
                       "messages of collectives: the profile has none (COMMPROF_INTERNAL, docs/options.md)");
  if (std::string part = with_estimate(part_of_bytes_sent(messages.total.bytes, traffic.bytes_sent)); !part.empty())
    facts.emplace_back("Not there", std::move(part));
  if (std::string part = describe_missing_estimate(traffic.without_estimate); !part.empty())
    facts.emplace_back("Not there", std::move(part));
  facts.emplace_back("Not known",
                     "adaptive routing: switches that have it may send data elsewhere than their tables say");
  if (traffic.hosts.most_ports() > 1)
    facts.emplace_back("Assumed",
                       "hosts have several ports: each rank of a host uses the next one, unless --rail says which");
  bool const several_lids = std::ranges::any_of(fabric.links, [](FabricLink const& link) { return link.lids > 1; });
  if (several_lids)
    facts.emplace_back("Assumed", "ports have several lids: messages go to the one that --lid says, or the first");
  return facts;
}

table::View<LevelLoad> view_of_levels(Measure by) {
  bool const is_by_bytes = by == Measure::bytes;
  auto const mean = [by](LevelLoad const& one) { return one.links == 0 ? 0 : one.sum.of(by) / one.links; };
  return {.name = "levels",
          .columns = {{"level", "Links from-to", Kind::name, &LevelLoad::level},
                      {"links", "Number", Kind::count, &LevelLoad::links},
                      {"used", "Used", Kind::count, &LevelLoad::used},
                      {"bytes", "Bytes", Kind::bytes, [](LevelLoad const& one) { return one.sum.bytes; }},
                      {"messages", "Messages", Kind::count, [](LevelLoad const& one) { return one.sum.messages; }},
                      {"most_bytes", is_by_bytes ? "Most of one" : "", Kind::bytes,
                       [](LevelLoad const& one) { return one.most.bytes; }},
                      {"most_messages", is_by_bytes ? "" : "Most of one", Kind::count,
                       [](LevelLoad const& one) { return one.most.messages; }},
                      {is_by_bytes ? "mean_bytes" : "mean_messages", "Mean", is_by_bytes ? Kind::bytes : Kind::count,
                       mean, In::people},
                      {"most_share", "Most, of capacity", Kind::share, &LevelLoad::most_share}}};
}

table::View<LinkRow> view_of_links(Measure by) {
  table::View<LinkRow> view{
      .name = "links",
      .columns = {{"node", "Node", Kind::name, &LinkRow::node},
                  {"port", "Port", Kind::number, &LinkRow::port},
                  {"peer", "Peer", Kind::name, &LinkRow::peer},
                  {"peer_port", "Port", Kind::number, &LinkRow::peer_port},
                  {"level", "Level", Kind::name, &LinkRow::level},
                  {"bytes", "Bytes", Kind::bytes, [](LinkRow const& row) { return row.amount.bytes; }},
                  {"messages", "Messages", Kind::count, [](LinkRow const& row) { return row.amount.messages; }},
                  {"share", "Of capacity", Kind::share, &LinkRow::share},
                  {"routes", "Routes", Kind::count, &LinkRow::routes}}};
  auto const add = [&](char const* title, auto parts) {
    auto const list = [=](LinkRow const& row) { return list_parts(row.filling->*parts, row.amount.of(by), by); };
    view.columns.push_back({title, title, Kind::name, list, In::page});
  };
  add("Communicators", &LinkFilling::communicators);
  add("Operations", &LinkFilling::operations);
  add("Ranks", &LinkFilling::pairs);
  return view;
}

Json page_table_of_links(LinkTraffic& traffic, LinksLayout const& layout) {
  LinkLines const lines = lines_of(traffic, layout);
  return page_table(table_of(view_of_links(layout.by), lines.rows));
}

Document links(LinkTraffic& traffic, LinksLayout const& layout) {
  LinkLines const lines = lines_of(traffic, layout);
  Document document = document_of(traffic.overview);
  document.run = members_of(traffic);
  document.notes = facts_of(traffic);
  document.of = lines.fillings;
  bool const is_empty = traffic.messages.between_hosts.empty();
  if (!is_empty) document.tables.push_back(table_of(view_of_levels(layout.by), traffic.loads.levels));
  if (!is_empty) document.tables.back().in = ~In::csv;
  table::Table& table = document.tables.emplace_back(table_of(view_of_links(layout.by), lines.rows));
  table.if_empty = "No messages between hosts in this selection.\n";
  table.hidden = lines.all - lines.rows.size();
  table.noun = "link";
  table.below_line = [rows = lines.rows, by = layout.by](std::size_t line) { return text_of(rows[line], by); };
  if (is_empty) return document;
  table.above = fmt::format("Busiest links, by {}\n", layout.by == Measure::bytes ? "bytes" : "messages");
  document.tables.push_back(table_of(view_of_congestion(), ranges_of(traffic.loads.congestion)));
  document.tables.back().indent = 2;
  document.tables.back().above = congestion_in_words(traffic.loads.congestion);
  document.tables.push_back(table_of_fillings(lines));
  return document;
}

}  // namespace mpisee_through
