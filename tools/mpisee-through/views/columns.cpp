#include "views/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <tuple>

#include "files/visible_text.hpp"
#include "summary/communicator_groups.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {

using table::In, table::Kind;

CostColumns const& cost_columns() {
  using Costs = CallCosts;
  static CostColumns const columns{
      {"calls", "", Kind::count, [](Costs const& one) { return one.totals->calls; }},
      {"bytes_sent", "", Kind::bytes, [](Costs const& one) { return one.totals->bytes_sent; }},
      {"bytes_received", "", Kind::bytes, [](Costs const& one) { return one.totals->bytes_received; }},
      {"bytes", "Volume", Kind::bytes, [](Costs const& one) { return one.totals->bytes(); }, In::people},
      {"time_s", "", Kind::seconds, [](Costs const& one) { return one.totals->time_s; }},
      {"mpi_share", "", Kind::share, [](Costs const& one) { return one.summary->share_of_mpi(*one.totals); }},
      {"wall_share", "", Kind::share, [](Costs const& one) { return one.summary->share_of_wall(*one.totals); }},
      {"time_mean_s", "", Kind::seconds, [](Costs const& one) { return one.totals->call_s(); }},
  };
  return columns;
}

SiteColumns const& site_columns() {
  static auto const place = [](SiteRef const& one) -> SourcePlace const& {
    return one.summary->site_names->place(one.summary->site(one.site));
  };
  static SiteColumns const columns{
      {"site", "", Kind::name, [](SiteRef const& one) { return visible(one.summary->site(one.site)); }},
      {"function", "", Kind::name, [](SiteRef const& one) { return place(one).function; }},
      {"file", "", Kind::name, [](SiteRef const& one) { return place(one).file; }},
      {"line", "", Kind::name, [](SiteRef const& one) { return place(one).line; }},
      {"at", "At", Kind::name, [](SiteRef const& one) { return label_of_site(*one.summary, one.site); }, In::people},
  };
  return columns;
}

EfficiencyColumns const& efficiency_columns() {
  static auto const estimated = [](char const* key, auto value) {
    return table::Column<Efficiency>{
        .key = key,
        .title = "",
        .kind = Kind::share,
        .value = [value](Efficiency const& one) { return bounded((one.*value)(), table::Bound::estimated); },
        .has_bounds = true};
  };
  static EfficiencyColumns const columns{
      {"parallel_efficiency", "", Kind::share, &Efficiency::parallel},
      {"load_balance", "", Kind::share, &Efficiency::load_balance},
      {"processor_efficiency", "", Kind::share, &Efficiency::processors},
      {"communication_efficiency", "", Kind::share, &Efficiency::communication},
      estimated("serialisation_efficiency", &Efficiency::serialisation),
      estimated("transfer_efficiency", &Efficiency::transfer),
      {"useful_mean_s", "", Kind::seconds, &Efficiency::useful_mean_s},
      {"useful_max_s", "", Kind::seconds, &Efficiency::useful_max_s},
      {"wall_max_s", "", Kind::seconds, &Efficiency::wall_max_s},
  };
  return columns;
}

namespace {

std::string maker_in_words(CommunicatorLine const& line) {
  SiteNames const& names = *line.summary->site_names;
  return line.group.empty() ? describe_origin(*line.one, &names)
                            : fmt::format("{} at {}", line.one->created_by, names.line(line.one->created_at));
}

// Nothing if the line stands for several communicators.
std::optional<double> alone(CommunicatorLine const& line, std::optional<double> value) {
  return line.selected && line.group.empty() ? value : std::nullopt;
}

}  // namespace

std::vector<CommunicatorLine> joined_by_maker(Summary const& summary,
                                              std::vector<CommunicatorIndex> const& communicators) {
  constexpr std::size_t fewest_to_join = 10;  // fewer are easier to read one by one
  auto const maker_of = [&](CommunicatorIndex index) {
    CommunicatorSummary const& one = summary.communicator(index);
    return std::tuple<std::string_view, std::string_view, std::uint64_t>(one.created_at, one.created_by, one.size);
  };
  std::map<decltype(maker_of({})), std::vector<CommunicatorIndex>> made;
  for (CommunicatorIndex const index : communicators) made[maker_of(index)].push_back(index);
  std::vector<CommunicatorLine> lines;
  for (CommunicatorIndex const index : communicators) {
    CommunicatorSummary const& first = summary.communicator(index);
    auto const& members = made.at(maker_of(index));
    bool const joins = !first.created_at.empty() && members.size() >= fewest_to_join;
    if (joins && index != members.front()) continue;
    CommunicatorLine& line = lines.emplace_back(CommunicatorLine{&summary, &first, {}});
    line.members = joins ? members : std::vector{index};
    std::vector<std::string_view> names;
    for (CommunicatorIndex const member : line.members) {
      line.totals += summary.communicator(member).totals;
      names.emplace_back(summary.communicator(member).name);
    }
    if (joins) line.group = name_of_group(names);
  }
  return lines;
}

CommunicatorColumns const& communicator_columns() {
  using Line = CommunicatorLine;
  static CommunicatorColumns const columns{
      {"comm", "", Kind::name, [](Line const& line) { return line.one->name; }},
      {"name", "Communicator", Kind::name,
       [](Line const& line) { return std::string(2 * line.depth, ' ') + line.name(); }, In::people},
      {"parent", "", Kind::name, [](Line const& line) { return line.one->parent; }},
      {"depth", "", Kind::number, &Line::depth, In::json},
      {"created_by", "", Kind::name, [](Line const& line) { return line.one->created_by; }},
      {"created_at", "", Kind::name, [](Line const& line) { return visible(line.one->created_at); }},
      {"size", "", Kind::count, [](Line const& line) { return line.one->size; }},
      {"members", "", Kind::name, [](Line const& line) { return line.one->members; }},
      {"topology", "", Kind::name, [](Line const& line) { return line.one->topology; }},
      {"reorder", "", Kind::name, [](Line const& line) { return line.one->reorder; }},
      {"user_name", "", Kind::name, [](Line const& line) { return line.one->user_name; }},
      {"freed", "", Kind::flag, [](Line const& line) { return line.one->freed; }},
      {"instances", "", Kind::count, [](Line const& line) { return line.one->instances; }},
      {"ranks", "", Kind::count, [](Line const& line) { return line.one->ranks; }},
      {"rank_mean_s", "", Kind::seconds, [](Line const& line) { return alone(line, line.one->mean_s()); }},
      {"rank_min_s", "", Kind::seconds, [](Line const& line) { return alone(line, line.one->min_s()); }},
      {"rank_max_s", "", Kind::seconds, [](Line const& line) { return alone(line, line.one->max_s()); }},
      {"imbalance", "", Kind::share, [](Line const& line) { return alone(line, line.one->imbalance()); }},
      {"made_by", "Made by", Kind::name, maker_in_words, In::people},
      {"wait_s", "", Kind::seconds, &Line::wait_s},
      {"wait_share", "", Kind::share,
       [](Line const& line) { return line.wait_s ? share_of(*line.wait_s, line.totals.time_s) : std::nullopt; }},
  };
  return columns;
}

table::View<CommunicatorLine> view_of_communicators() {
  auto const& comm = communicator_columns();
  auto const& cost = cost_columns();
  std::vector<table::Column<CommunicatorLine>> columns{
      comm.name,    comm.comm,     comm.parent,  comm.depth,     comm.created_by, comm.size.titled("Size"),
      comm.members, comm.topology, comm.reorder, comm.user_name, comm.freed,      comm.instances,
      comm.ranks};
  add_columns(columns, &CommunicatorLine::costs,
              {cost.calls.titled("Calls"), cost.bytes_sent, cost.bytes_received, cost.volume,
               cost.time_s.titled("Time"), cost.mpi_share.titled("MPI time")});
  columns.insert(columns.end(), {comm.rank_mean_s.titled("Mean"), comm.rank_min_s, comm.rank_max_s});
  add_columns(columns, &CommunicatorLine::costs,
              {cost.wall_share.titled("Of wall"), cost.time_mean_s.titled("A call")});
  columns.insert(columns.end(), {comm.imbalance.titled("Imbalance"), comm.created_at, comm.made_by});
  return {.name = "communicators",
          .columns = std::move(columns),
          .titles = {"Communicator", "Size", "MPI time", "Of wall", "Time", "Mean", "Imbalance", "A call", "Volume",
                     "Calls", "Made by"},
          .cut = {.title = "Made by", .least = 32}};
}

std::string describe_origin(CommunicatorSummary const& communicator, SiteNames const* names) {
  std::vector<std::string> facts;
  if (!communicator.created_by.empty()) {
    std::string const at =
        names == nullptr || communicator.created_at.empty() ? "" : " at " + names->line(communicator.created_at);
    facts.push_back(communicator.created_by + at);
  } else if (communicator.name == world_name) {
    facts.emplace_back("MPI_COMM_WORLD");
  } else if (communicator.name == self_name) {
    facts.emplace_back("MPI_COMM_SELF");
  }
  if (communicator.instances == 0) facts.emplace_back("not in communicators.csv");
  if (!communicator.topology.empty()) facts.push_back(communicator.topology);
  if (communicator.reorder == "1") facts.emplace_back("reorder allowed");
  // MPI itself names its two predefined communicators, so their names are not worth a fact.
  bool const is_news = facts.empty() || communicator.user_name != facts.front();
  if (!communicator.user_name.empty() && is_news) facts.push_back(fmt::format("\"{}\"", communicator.user_name));
  if (communicator.freed) facts.emplace_back("freed");
  return fmt::format("{}", fmt::join(facts, ", "));
}

std::string label_of_site(Summary const& summary, CallSiteIndex index) {
  std::string const& site = summary.site(index);
  return site.empty() ? "(not known)" : summary.site_names->label(site);
}

}  // namespace mpisee_through
