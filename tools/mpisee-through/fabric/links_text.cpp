#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "fabric/links_view.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using namespace align;

std::string format_amount(Amount const& amount, Measure measure) {
  return measure == Measure::bytes ? format_bytes(amount.bytes) : format_count(amount.messages);
}

std::optional<double> part_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

void print_table(std::ostream& out, std::vector<Columns::Column> titles,
                 std::vector<std::vector<std::string>> const& lines, std::size_t indent = 0) {
  Columns columns(indent, std::move(titles));
  for (std::vector<std::string> const& line : lines) columns.fit(line);
  columns.print_titles(out);
  for (std::vector<std::string> const& line : lines) columns.print(out, line);
}

void print_levels(std::ostream& out, LinkTraffic const& traffic, Measure measure) {
  std::vector<std::vector<std::string>> lines;
  for (LevelLoad const& level : traffic.loads.levels) {
    std::uint64_t const mean = level.links == 0 ? 0 : level.sum.of(measure) / level.links;
    lines.push_back({level.level, format_count(level.links), format_count(level.used), format_bytes(level.sum.bytes),
                     format_count(level.sum.messages), format_amount(level.most, measure),
                     measure == Measure::bytes ? format_bytes(mean) : format_count(mean),
                     format_share(level.most_share)});
  }
  out << '\n';
  print_table(out,
              {{"Links from-to", left},
               {"Number", right},
               {"Used", right},
               {"Bytes", right},
               {"Messages", right},
               {"Most of one", right},
               {"Mean", right},
               {"Most, of capacity", right}},
              lines);
}

// "W 80.0 %, W_s1.0 20.0 %".
template <class Parts, class Name>
std::string list_parts(Parts const& parts, std::uint64_t whole, Measure measure, Name const& name) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", name(parts[i]),
                        format_share(part_of(parts[i].amount.of(measure), whole)));
  return parts.size() > most ? fmt::format("{}, {} more", text, format_count(parts.size() - most)) : text;
}

void print_filling(std::ostream& out, LinkFilling const& filling, std::uint64_t whole, Measure measure) {
  auto const name = [](LinkFilling::Part const& part) { return part.name; };
  auto const ends = [](PairTraffic const& pair) {
    return fmt::format("{} to {}", static_cast<std::uint32_t>(pair.from), static_cast<std::uint32_t>(pair.to));
  };
  fmt::print(out, "    on {}; {}\n", list_parts(filling.communicators, whole, measure, name),
             list_parts(filling.operations, whole, measure, name));
  bool const has_regions =
      filling.regions.size() > 1 || (!filling.regions.empty() && filling.regions[0].name != "main");
  if (has_regions) fmt::print(out, "    in {}\n", list_parts(filling.regions, whole, measure, name));
  fmt::print(out, "    ranks {}\n", list_parts(filling.pairs, whole, measure, ends));
}

std::vector<std::string> cells_of(LinkRow const& row) {
  return {row.node,
          fmt::format("{}", row.port),
          row.peer,
          fmt::format("{}", row.peer_port),
          row.level,
          format_bytes(row.amount.bytes),
          format_count(row.amount.messages),
          format_share(row.share),
          format_count(row.routes)};
}

void print_busiest(std::ostream& out, LinkTraffic& traffic, LinksLayout const& layout) {
  std::vector<LinkIndex> const links = busiest_links(traffic.loads, layout.by);
  auto const shown = std::span(links).first(std::min(links.size(), layout.top));
  std::vector<LinkFilling> const fillings = fill(traffic.routes, traffic.messages, shown, layout.by);
  Columns columns(0, {{"Node", left},
                      {"Port", right},
                      {"Peer", left},
                      {"Port", right},
                      {"Level", left},
                      {"Bytes", right},
                      {"Messages", right},
                      {"Of capacity", right},
                      {"Routes", right}});
  for (LinkIndex const link : shown) columns.fit(cells_of(row_of(traffic, link)));
  fmt::print(out, "\nBusiest links, by {}\n", layout.by == Measure::bytes ? "bytes" : "messages");
  columns.print_titles(out);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    columns.print(out, cells_of(row_of(traffic, shown[i])));
    print_filling(out, fillings[i], traffic.loads.of(shown[i]).of(layout.by), layout.by);
  }
  if (shown.size() < links.size())
    fmt::print(out, "\nNot shown: {}. --top N shows more, --csv all.\n",
               format_number_of(links.size() - shown.size(), "link"));
}

// By powers of two, for there may be as many congestions as routes.
void print_congestion(std::ostream& out, Congestion const& congestion) {
  fmt::print(out,
             "\nCongestion: routes through the fullest link of a route; at most {}, {:.2f} in the mean, {} in sum\n",
             format_count(congestion.most), congestion.mean(), format_count(congestion.sum_max));
  std::vector<std::vector<std::string>> lines;
  auto const end = congestion.routes_with.end();
  for (std::uint64_t low = 1; low != 0 && low <= congestion.most; low *= 2) {
    std::uint64_t const high = 2 * low - 1;
    std::uint64_t routes = 0;
    for (auto one = congestion.routes_with.lower_bound(low); one != end && one->first <= high; ++one)
      routes += one->second;
    lines.push_back({low == high ? format_count(low) : fmt::format("{}-{}", format_count(low), format_count(high)),
                     format_count(routes), format_share(part_of(routes, congestion.routes)),
                     format_bar(routes, congestion.routes)});
  }
  print_table(out, {{"Congestion", right}, {"Routes", right}, {"Part", right}, {"", left}}, lines, 2);
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

}  // namespace

std::vector<FabricFact> facts_of(LinkTraffic const& traffic) {
  Fabric const& fabric = traffic.fabric();
  LinkMessages const& messages = traffic.messages;
  std::vector<FabricFact> facts{{"Fabric", describe(fabric)}};
  for (std::string const& note : fabric.notes) facts.emplace_back("", note);
  facts.emplace_back("On links", describe(messages.on_links));
  if (messages.within_hosts.messages > 0)
    facts.emplace_back("Not there", describe(messages.within_hosts) +
                                        " within hosts: through shared memory, or not; they are in no sum here");
  if (messages.other_worlds.messages > 0)
    facts.emplace_back("Not there",
                       describe(messages.other_worlds) + " from or to other worlds, whose hosts are in other profiles");
  if (messages.unknown_hosts.messages > 0)
    facts.emplace_back("Not there", describe(messages.unknown_hosts) + " from or to ranks whose hosts are not known");
  if (!messages.has_internal)
    facts.emplace_back("Not known",
                       "messages of collectives: the profile has none (COMMPROF_INTERNAL, docs/options.md)");
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

void print_links(std::ostream& out, LinkTraffic& traffic, LinksLayout const& layout) {
  print_head(out, traffic.overview);
  for (auto const& [label, text] : facts_of(traffic)) print_fact(out, label, text);
  if (traffic.messages.between_hosts.empty()) {
    out << "\nNo messages between hosts in this selection.\n";
    return;
  }
  print_levels(out, traffic, layout.by);
  print_busiest(out, traffic, layout);
  print_congestion(out, traffic.loads.congestion);
}

void show(std::ostream& out, LinkTraffic& traffic, Format format, LinksLayout const& layout) {
  if (format == Format::csv) return write_links_csv(out, traffic, layout);
  if (format == Format::json) return write_links_json(out, traffic, layout);
  print_links(out, traffic, layout);
}

}  // namespace mpisee_through
