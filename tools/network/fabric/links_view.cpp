#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "commands/commands.hpp"
#include "fabric/links.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

constexpr std::size_t most_links_of_page = 200;

// What the document is about, and refers to: the routes of the selected messages.
struct LinkTraffic {
  LinkTraffic(Profile const& profile, Selection const& selection, std::filesystem::path const& path)
      : overview(read_overview(profile, selection)),
        fabric(read_fabric(path)),
        hosts(fabric, overview.known_hosts()),
        routes(hosts, overview) {
    messages = read_link_messages(profile, selection, overview);
    loads = load_links(routes, messages, overview.run.wall_s);
    bytes_sent = read_bytes_sent(profile, selection);
    is_everything = describe(selection).empty();
  }

  Overview overview;
  Fabric fabric;
  FabricHosts hosts;
  RankRoutes routes;
  LinkMessages messages;
  LinkLoads loads;
  std::optional<std::uint64_t> bytes_sent;  // as read_bytes_sent() has it
  bool is_everything;                       // nothing is selected
};

// A line of the table of links, in all forms.
struct LinkRow {
  std::string node, peer;
  std::uint32_t port = 0, peer_port = 0;
  std::string level;
  Amount amount{};
  std::optional<double> share{};  // of what the link could carry
  std::uint32_t routes = 0;
  LinkFilling const* filling = nullptr;  // null if it is not shown
};

Json json_of(Amount const& amount) { return {{"bytes", amount.bytes}, {"messages", amount.messages}}; }

Json json_of(Congestion const& congestion) {
  return {{"routes", congestion.routes},
          {"sum_max_cong", congestion.sum_max},
          {"max_cong", congestion.most},
          {"mean_cong", congestion.mean()}};
}

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

std::string congestion_in_words(Congestion const& congestion) {
  return fmt::format(
      "\nCongestion: routes through the fullest link of a route; at most {}, {:.2f} in the mean, {} in sum\n",
      format_count(congestion.most), congestion.mean(), format_count(congestion.sum_max));
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

LinkRow row_of(LinkTraffic const& traffic, LinkIndex link) {
  Fabric const& fabric = traffic.fabric;
  return {.node = fabric.node_of(link).name,
          .peer = fabric.peer_of(link).name,
          .port = fabric.link(link).port,
          .peer_port = fabric.link(fabric.link(link).back).port,
          .level = level_of(fabric, link),
          .amount = traffic.loads.of(link),
          .share = share_of(fabric, traffic.loads, link),
          .routes = traffic.loads.routes_of[static_cast<std::size_t>(link)]};
}

// The lines of links, the busiest first, as many as are shown, and what fills them.
struct LinkLines {
  std::size_t all = 0;
  std::shared_ptr<std::vector<LinkFilling> const> fillings{};
  std::vector<LinkRow> rows{};
};
LinkLines lines_of(LinkTraffic const& traffic, LinksLayout const& layout) {
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

// What was read, what is assumed, and what cannot be known, as label and text.
std::vector<Note> facts_of(LinkTraffic const& traffic) {
  Fabric const& fabric = traffic.fabric;
  LinkMessages const& messages = traffic.messages;
  std::vector<Note> facts{{"Fabric", describe(fabric)}};
  for (std::string const& note : fabric.notes) facts.emplace_back(" ", note);
  if (traffic.is_everything && observes_transport(traffic.overview.run))
    facts.emplace_back("Transport", "what it was given is shown by --class network");
  facts.emplace_back("On links", describe(messages.on_links));
  if (messages.within_hosts.messages > 0)
    facts.emplace_back("Not there", describe(messages.within_hosts) +
                                        " within hosts: through shared memory, or not; they are in no sum here");
  if (messages.other_worlds.messages > 0)
    facts.emplace_back("Not there",
                       describe(messages.other_worlds) + " from or to other worlds, whose hosts are in other profiles");
  if (messages.unknown_hosts.messages > 0)
    facts.emplace_back("Not there", describe(messages.unknown_hosts) + " from or to ranks whose hosts are not known");
  if (!messages.has_internal && traffic.is_everything)
    facts.emplace_back("Not known",
                       "messages of collectives: the profile has none (COMMPROF_INTERNAL, docs/options.md)");
  if (std::string part = part_of_bytes_sent(messages.total.bytes, traffic.bytes_sent); !part.empty())
    facts.emplace_back("Not there", std::move(part));
  facts.emplace_back("Not known",
                     "adaptive routing: switches that have it may send data elsewhere than their tables say");
  if (traffic.hosts.has_several_ports())
    facts.emplace_back("Assumed", "hosts have several ports: each rank of a host uses the next one");
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

// A page has columns for what fills a link; text has lines below it.
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

Json members_of(LinkTraffic const& traffic) {
  Json members = run_of(traffic.overview);
  members["on_links"] = json_of(traffic.messages.on_links);
  members["within_hosts"] = json_of(traffic.messages.within_hosts);
  members["other_worlds"] = json_of(traffic.messages.other_worlds);
  members["unknown_hosts"] = json_of(traffic.messages.unknown_hosts);
  members["bytes_sent"] = traffic.bytes_sent ? Json(*traffic.bytes_sent) : Json();
  members["congestion"] = json_of(traffic.loads.congestion);
  return members;
}

// What a page draws: nodes with their levels, and cables with the bytes that each end sends.
Json picture_of(LinkTraffic const& traffic) {
  Fabric const& fabric = traffic.fabric;
  Json levels = Json::array(), nodes = Json::array(), cables = Json::array();
  for (unsigned level = 0; level <= fabric.levels(); ++level) levels.push_back(name_of_level(level));
  for (FabricNode const& node : fabric.nodes) {
    bool const has_level = !node.is_switch || node.level > 0;
    nodes.push_back({node.name, has_level ? Json(node.level) : Json()});
    for (LinkIndex const link : fabric.cables_of(node)) {
      LinkIndex const back = fabric.link(link).back;
      if (link < back)
        cables.push_back({fabric.link(link).node, fabric.link(link).port, traffic.loads.of(link).bytes,
                          fabric.link(back).node, fabric.link(back).port, traffic.loads.of(back).bytes});
    }
  }
  return {{"as", "network"}, {"levels", std::move(levels)}, {"nodes", std::move(nodes)}, {"cables", std::move(cables)}};
}

constexpr char const* links_description =
    "Says what the messages of a run put on the links of an InfiniBand network: each goes from\n"
    "switch to switch as their forwarding tables say.\n"
    "\n"
    "DIR holds what an administrator writes there, in files of any name:\n"
    "  ibnetdiscover > DIR/cables     nodes, cables, speeds\n"
    "  dump_fts > DIR/tables          forwarding tables; also those of ibroute\n"
    "Without tables, and with Slurm's topology.conf instead of cables, routes are assumed: the\n"
    "output says so. A file \"hosts\" there has lines of a host and the description or GUID (0x…)\n"
    "of its node, where its description does not begin with its name.\n"
    "\n"
    "A link is one direction of a cable. Messages within hosts are on no link.\n";

constexpr char const* links_exit_codes =
    "Exit codes: 0; 1 if the profile or the fabric cannot be read, do not fit each other, or the\n"
    "tables lead nowhere (one line on stderr says what, in which file and line); 2 if the command\n"
    "line makes no sense.\n";

class Links : public Command {
 public:
  Links() : Command("mpisee-through links", links_description, links_exit_codes) {
    add_profile(app_, profile_);
    app_.add_option("--fabric", fabric_, "Directory with the files about the network, or one of them")
        ->required()
        ->check(check_file)
        ->type_name("DIR");
    selection_.add_to(app_, "--comm --op --region --rank --size --weight --class --from --to",
                      "Selection (all can be combined)");
    add_top(app_, top_, "Only the N busiest links; 10 by default, all with --csv");
    form_.add_to(app_, "A line for each link with messages, on standard output",
                 "The same as JSON, with levels, congestion and what fills the\nbusiest links");
  }

 private:
  int answer() override {
    constexpr std::size_t links_of_text = 10;
    bool const is_page = form_.format() == Format::html;
    std::size_t const most = form_.format() == Format::csv ? std::numeric_limits<std::size_t>::max()
                             : is_page                     ? most_links_of_page
                                                           : links_of_text;
    LinksLayout const layout{selection_.measure(), parse_top(top_).value_or(most), is_page};
    return print(form_, find_terminal(ColorWhen::automatic),
                 {read_links(Profile(profile_), selection_.selection(), fabric_, layout)}, {profile_});
  }

  std::string profile_, fabric_, top_;
  SelectionOptions selection_;
  FormatOptions form_;
};

Document links(LinkTraffic const& traffic, LinksLayout const& layout) {
  LinkLines const lines = lines_of(traffic, layout);
  Document document = document_of(traffic.overview);
  document.run = members_of(traffic);
  document.notes = facts_of(traffic);
  document.of = lines.fillings;
  bool const is_empty = traffic.messages.between_hosts.empty();
  if (!is_empty) document.tables.push_back(table_of(view_of_levels(layout.by), traffic.loads.levels));
  if (!is_empty) document.tables.back().in = ~In::csv;
  if (!is_empty && layout.has_picture) document.tables.back().drawing = picture_of(traffic);
  table::Table& table = document.tables.emplace_back(table_of(view_of_links(layout.by), lines.rows));
  table.if_empty = "No messages between hosts in this selection.\n";
  table.hidden = lines.all - lines.rows.size();
  table.noun = "link";
  table.below_line = [rows = lines.rows, by = layout.by](std::size_t line) { return text_of(rows[line], by); };
  if (is_empty) return document;
  table.above = fmt::format("Busiest links, by {}\n", layout.by == Measure::bytes ? "bytes" : "messages");
  table.below = congestion_in_words(traffic.loads.congestion);
  document.tables.push_back(table_of_fillings(lines));
  return document;
}

}  // namespace

Document read_links(Profile const& profile, Selection const& selection, std::filesystem::path const& fabric,
                    LinksLayout const& layout) {
  require_rows(profile, selection, "links");
  auto const traffic = std::make_shared<LinkTraffic>(profile, selection, fabric);
  Document document = links(*traffic, layout);
  keep(document, traffic);
  return document;
}

std::unique_ptr<Command> make_links() { return std::make_unique<Links>(); }

}  // namespace mpisee_through
