// The first page for programs: tables in JSON, a fact a line in CSV.
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// The whole run, then each region, with its own times and with those of the regions inside.
struct EfficiencyOf {
  std::string region;
  std::string_view times;  // exclusive or inclusive; empty for the whole run
  Efficiency efficiency;
};

table::Table table_of_all_efficiencies(FirstScreen const& screen) {
  std::vector<EfficiencyOf> lines;
  if (screen.has_efficiencies) lines.push_back({"", "", screen.summary.efficiency});
  for (RegionSummary const& region : screen.regions) {
    lines.push_back({region.path, "exclusive", region.exclusive.efficiency});
    lines.push_back({region.path, "inclusive", region.inclusive.efficiency});
  }
  table::View<EfficiencyOf> view{
      .name = "efficiencies",
      .columns = {{"region", "", Kind::name, &EfficiencyOf::region}, {"times", "", Kind::name, &EfficiencyOf::times}}};
  add_columns(view.columns, &EfficiencyOf::efficiency, efficiency_columns().all());
  return table_of(view, std::move(lines));
}

table::Table table_of_communicators(FirstScreen const& screen) {
  auto const& comm = communicator_columns();
  auto const& cost = cost_columns();
  table::View<CommunicatorLine> view{
      .name = "communicators",
      .columns = {comm.comm, comm.parent, comm.created_by, comm.created_at, comm.size, comm.members, comm.topology,
                  comm.reorder, comm.user_name, comm.freed, comm.instances, comm.ranks}};
  add_columns(view.columns, &CommunicatorLine::costs,
              {cost.calls, cost.bytes_sent, cost.bytes_received, cost.time_s, cost.mpi_share, cost.wall_share,
               cost.time_mean_s});
  view.columns.insert(view.columns.end(), {comm.imbalance, comm.rank_mean_s, comm.rank_min_s, comm.rank_max_s,
                                           comm.wait_s, comm.wait_share});
  std::vector<CommunicatorLine> lines;
  for (CommunicatorIndex const index : arrange_communicators(screen.summary, {}, Include::with_operations)) {
    CommunicatorSummary const& one = screen.summary.communicator(index);
    lines.push_back({&screen.summary, &one, one.totals, screen.waits.wait_s_on(index)});
  }
  return table_of(view, std::move(lines));
}

table::Table table_of_kinds(Summary const& summary) {
  using One = KindTotals;
  table::View<One> const view{
      .name = "kinds",
      .columns = {{"kind", "", Kind::name, [](One const& one) { return name_of(one.kind); }},
                  {"time_s", "", Kind::seconds, [](One const& one) { return one.totals.time_s; }},
                  {"mpi_share", "", Kind::share, [&](One const& one) { return summary.share_of_mpi(one.totals); }},
                  {"bytes", "", Kind::bytes, [](One const& one) { return one.totals.bytes(); }}}};
  return table_of(view, totals_by_kind(summary));
}

table::Table table_of_costliest_call(Summary const& summary) {
  using One = CostliestCall;
  auto const call = find_costliest_call(summary);
  auto const totals = [](One const& one) -> Totals const& { return one.operation->totals; };
  table::View<One> const view{
      .name = "calls",
      .columns = {
          {"op", "", Kind::name, [&](One const& one) { return summary.name_of(one.operation->operation); }},
          {"comm", "", Kind::name, [&](One const& one) { return summary.communicator(one.communicator).name; }},
          {"mpi_share", "", Kind::share, [=, &summary](One const& one) { return summary.share_of_mpi(totals(one)); }},
          {"wall_share", "", Kind::share,
           [=, &summary](One const& one) { return summary.share_of_wall(totals(one)); }}}};
  return table_of(view, call ? std::vector{*call} : std::vector<One>());
}

table::Table table_of_busiest_pair(FirstScreen const& screen) {
  using One = BusiestPair;
  table::View<One> const view{
      .name = "pairs",
      .columns = {{"src", "", Kind::number, [](One const& one) { return rank_number(one.pair.from); }},
                  {"dst", "", Kind::number, [](One const& one) { return rank_number(one.pair.to); }},
                  {"messages", "", Kind::count, [](One const& one) { return one.pair.amount.messages; }},
                  {"bytes", "", Kind::bytes, [](One const& one) { return one.pair.amount.bytes; }},
                  {"bytes_share", "", Kind::share, &One::share},
                  {"messages_share_of_bytes_sent", "", Kind::share, &One::share_of_bytes_sent}}};
  return table_of(view, screen.busiest_pair ? std::vector{*screen.busiest_pair} : std::vector<One>());
}

// The size that has most of the time, and of the bytes.
struct MainSize {
  std::string_view of;
  SizeShare one;
};

table::Table table_of_main_sizes(FirstScreen const& screen) {
  table::View<MainSize> const view{
      .name = "sizes",
      .columns = {{"size_min", "", Kind::bytes, [](MainSize const& size) { return size.one.size.min_bytes; }},
                  {"size_max", "", Kind::bytes, [](MainSize const& size) { return size.one.size.max_bytes; }},
                  {"of", "", Kind::name, &MainSize::of},
                  {"share", "", Kind::share, [](MainSize const& size) { return size.one.share; }}}};
  std::vector<MainSize> lines;
  if (screen.main_sizes) lines = {{"time", screen.main_sizes->by_time}, {"bytes", screen.main_sizes->by_bytes}};
  return table_of(view, std::move(lines));
}

table::Table table_of_findings(FirstScreen const& screen) {
  struct One {
    Finding const* finding;
    std::string_view explained_by;
  };
  auto const text = [](std::string Finding::*part) { return [=](One const& one) { return one.finding->*part; }; };
  auto const unless = [](bool only_may_follow) {
    return [=](One const& one) {
      bool const is_known = !one.explained_by.empty() && one.finding->only_may_follow == only_may_follow;
      return is_known ? table::Value(one.explained_by) : table::Value();
    };
  };
  double const wall_s = screen.summary.efficiency.wall_max_s();
  table::View<One> const view{
      .name = "findings",
      .columns = {{"finding", "", Kind::name, [](One const& one) { return one.finding->rule; }},
                  {"explained_by", "", Kind::name, unless(false)},
                  {"may_follow_from", "", Kind::name, unless(true)},
                  {"wall_share", "", Kind::share, [](One const& one) { return one.finding->saving; }},
                  {"wall_share_most", "", Kind::share, [](One const& one) { return one.finding->saving_most; }},
                  {"saving_s", "", Kind::seconds, [=](One const& one) { return one.finding->saving * wall_s; }},
                  {"fact", "", Kind::name, text(&Finding::fact)},
                  {"try", "", Kind::name, text(&Finding::advice)},
                  {"more", "", Kind::name,
                   [&](One const& one) { return "mpisee-through " + arguments_of(*one.finding, screen); }},
                  {"note", "", Kind::name, text(&Finding::note)},
                  {"link", "", Kind::name,
                   [](One const& one) { return one.explained_by.empty() ? "" : link_in_words(*one.finding); }},
                  {"saving", "", Kind::name, [=](One const& one) { return saving_in_words(*one.finding, wall_s); }}}};
  std::vector<One> lines;
  for (auto const& [finding, explained_by] : flattened(screen)) lines.push_back({finding, explained_by});
  return table_of(view, std::move(lines));
}

// CSV has a fact a line.
struct Fact {
  std::string_view about;
  std::string name, quantity;
  table::Value value;
};

table::View<Fact> view_of_facts() {
  return {.name = "facts",
          .columns = {{"about", "", Kind::name, &Fact::about},
                      {"name", "", Kind::name, &Fact::name},
                      {"quantity", "", Kind::name, &Fact::quantity},
                      {"value", "", Kind::figure, &Fact::value}}};
}

std::string words_of(table::Value const& value) {
  Json const json = value.json();
  return json.is_string() ? json.get<std::string>() : json.dump();
}

// What a table says of its lines. The first columns name a line, and with a prefix the next one names its quantities.
struct FactsOf {
  std::string_view about;
  table::Table const& table;
  std::size_t names;
  std::string_view between = " ";
  std::function<std::string(std::size_t line)> prefix{};

  void add_to(std::vector<Fact>& facts) const {
    for (std::size_t line = 0; line < table.lines; ++line) {
      std::string name;
      for (std::size_t i = 0; i < names; ++i)
        name += (i == 0 ? "" : std::string(between)) + words_of(table.at(line, i));
      std::string const before = prefix ? prefix(line) : "";
      std::string_view const whom = about == "region" && name.empty() ? "run" : about;
      auto const add = [&](std::string const& key, table::Value const& value) {
        if (value.is_known() && words_of(value) != "") facts.push_back({whom, name, before + key, value});
      };
      std::size_t const first = names + (prefix ? 1 : 0);
      for (std::size_t i = first; i < table.columns.size(); ++i) add(table.columns[i].key, table.at(line, i));
      for (std::size_t i = first; i < table.columns.size(); ++i)
        if (table.columns[i].has_bounds)
          add(table.columns[i].key + "_bound", table::words_of(table.at(line, i).bound()));
    }
  }
};

}  // namespace

void add_tables_for_programs(Document& document, FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  std::vector<table::Table> tables{table_of_all_efficiencies(screen), table_of_communicators(screen),
                                   table_of_kinds(summary),           table_of_costliest_call(summary),
                                   table_of_busiest_pair(screen),     table_of_main_sizes(screen),
                                   table_of_findings(screen),         table_of_account(summary)};
  std::vector<Fact> facts;
  for (auto const& [key, value] : document.run["selected"].items())
    facts.push_back(
        {"run", "", key,
         value.is_number_float() ? table::Value(value.get<double>()) : table::Value(value.get<std::uint64_t>())});
  auto const is_inclusive = [&](std::size_t line) {
    return words_of(tables[0].at(line, 1)) == "inclusive" ? "inclusive_" : "";
  };
  auto const kind_of_size = [&](std::size_t line) { return words_of(tables[5].at(line, 2)) + "_"; };
  for (FactsOf const& one : {FactsOf{"region", tables[0], 1, "", is_inclusive}, FactsOf{"communicator", tables[1], 1},
                             FactsOf{"kind", tables[2], 1}, FactsOf{"call", tables[3], 2, " on "},
                             FactsOf{"pair", tables[4], 2}, FactsOf{"size", tables[5], 2, " ", kind_of_size},
                             FactsOf{"finding", tables[6], 1}, FactsOf{"account", tables[7], 1}})
    one.add_to(facts);
  for (table::Table& one : tables) {
    one.in = In::json;
    document.tables.push_back(std::move(one));
  }
  document.tables.push_back(table_of(view_of_facts(), std::move(facts)));
  document.tables.back().in = In::csv;
}

Document findings_for_page(FirstScreen const& screen) {
  Document document;
  Terminal const unbounded{.width = std::numeric_limits<std::size_t>::max()};  // the page breaks lines
  if (std::string title = title_of_state(screen.summary.run); !title.empty())
    document.notes.emplace_back(std::move(title), lines_of_state(screen, unbounded));
  if (screen.findings.empty()) document.notes.emplace_back("No findings", reason_for_no_findings(screen));
  table::Table& table = document.tables.emplace_back(table_of_findings(screen));
  table.drawing = {{"as", "findings"}};
  return document;
}

}  // namespace mpisee_through
