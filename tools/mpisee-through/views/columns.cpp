#include "views/columns.hpp"

#include <fmt/format.h>

#include "files/visible_text.hpp"
#include "summary/communicator_groups.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {

using table::Kind;

std::vector<table::Column<CallCosts>> const& cost_columns() {
  static std::vector<table::Column<CallCosts>> const columns{
      {"calls", "", Kind::count, [](CallCosts const& one) { return one.totals->calls; }},
      {"bytes_sent", "", Kind::bytes, [](CallCosts const& one) { return one.totals->bytes_sent; }},
      {"bytes_received", "", Kind::bytes, [](CallCosts const& one) { return one.totals->bytes_received; }},
      {"bytes", "", Kind::bytes, [](CallCosts const& one) { return one.totals->bytes(); }},
      {"time_s", "", Kind::seconds, [](CallCosts const& one) { return one.totals->time_s; }},
      {"mpi_share", "", Kind::share, [](CallCosts const& one) { return one.summary->share_of_mpi(*one.totals); }},
      {"wall_share", "", Kind::share, [](CallCosts const& one) { return one.summary->share_of_wall(*one.totals); }},
      {"time_mean_s", "", Kind::seconds, [](CallCosts const& one) { return one.totals->call_s(); }},
  };
  return columns;
}

std::vector<table::Column<SiteRef>> const& site_columns() {
  static auto const place = [](SiteRef const& one) -> SourcePlace const& {
    return one.summary->site_names->place(one.summary->site(one.site));
  };
  static std::vector<table::Column<SiteRef>> const columns{
      {"site", "", Kind::name, [](SiteRef const& one) { return visible(one.summary->site(one.site)); }},
      {"function", "", Kind::name, [](SiteRef const& one) { return place(one).function; }},
      {"file", "", Kind::name, [](SiteRef const& one) { return place(one).file; }},
      {"line", "", Kind::name, [](SiteRef const& one) { return place(one).line; }},
      {"at", "", Kind::name, [](SiteRef const& one) { return label_of_site(*one.summary, one.site); }},
  };
  return columns;
}

std::vector<table::Column<Efficiency>> const& efficiency_columns() {
  static auto const estimated = [](auto value) {
    return [value](Efficiency const& one) { return bounded((one.*value)(), table::Bound::estimated); };
  };
  static std::vector<table::Column<Efficiency>> const columns{
      {"parallel_efficiency", "", Kind::share, &Efficiency::parallel},
      {"load_balance", "", Kind::share, &Efficiency::load_balance},
      {"communication_efficiency", "", Kind::share, &Efficiency::communication},
      {.key = "serialisation_efficiency",
       .title = "",
       .kind = Kind::share,
       .value = estimated(&Efficiency::serialisation),
       .has_bounds = true},
      {.key = "transfer_efficiency",
       .title = "",
       .kind = Kind::share,
       .value = estimated(&Efficiency::transfer),
       .has_bounds = true},
      {"useful_mean_s", "", Kind::seconds, &Efficiency::useful_mean_s},
      {"useful_max_s", "", Kind::seconds, &Efficiency::useful_max_s},
      {"wall_max_s", "", Kind::seconds, &Efficiency::wall_max_s},
  };
  return columns;
}

namespace {

std::string indented_name(CommunicatorLine const& line) { return std::string(2 * line.depth, ' ') + line.name(); }

std::string maker_in_words(CommunicatorLine const& line) {
  return !line.group.empty() ? describe_maker(*line.summary, *line.one)
                             : describe_origin(*line.one, line.summary->site_names.get());
}

// Nothing if the line stands for several communicators.
std::optional<double> alone(CommunicatorLine const& line, std::optional<double> value) {
  return line.selected && line.group.empty() ? value : std::nullopt;
}

std::vector<table::Column<CommunicatorLine>> make_communicator_columns() {
  std::vector<table::Column<CommunicatorLine>> columns{
      {"comm", "", Kind::name, [](CommunicatorLine const& line) { return line.one->name; }},
      {"name", "", Kind::name, indented_name},
      {"parent", "", Kind::name, [](CommunicatorLine const& line) { return line.one->parent; }},
      {"depth", "", Kind::number, &CommunicatorLine::depth},
      {"created_by", "", Kind::name, [](CommunicatorLine const& line) { return line.one->created_by; }},
      {"created_at", "", Kind::name, [](CommunicatorLine const& line) { return visible(line.one->created_at); }},
      {"size", "", Kind::count, [](CommunicatorLine const& line) { return line.one->size; }},
      {"members", "", Kind::name, [](CommunicatorLine const& line) { return line.one->members; }},
      {"topology", "", Kind::name, [](CommunicatorLine const& line) { return line.one->topology; }},
      {"reorder", "", Kind::name, [](CommunicatorLine const& line) { return line.one->reorder; }},
      {"user_name", "", Kind::name, [](CommunicatorLine const& line) { return line.one->user_name; }},
      {"freed", "", Kind::flag, [](CommunicatorLine const& line) { return line.one->freed; }},
      {"instances", "", Kind::count, [](CommunicatorLine const& line) { return line.one->instances; }},
      {"ranks", "", Kind::count, [](CommunicatorLine const& line) { return line.one->ranks; }},
      {"rank_mean_s", "", Kind::seconds, [](CommunicatorLine const& line) { return alone(line, line.one->mean_s()); }},
      {"rank_min_s", "", Kind::seconds, [](CommunicatorLine const& line) { return alone(line, line.one->min_s()); }},
      {"rank_max_s", "", Kind::seconds, [](CommunicatorLine const& line) { return alone(line, line.one->max_s()); }},
      {"imbalance", "", Kind::share, [](CommunicatorLine const& line) { return alone(line, line.one->imbalance()); }},
      {"made_by", "", Kind::name, maker_in_words},
  };
  std::vector<table::Pick> costs;
  for (auto const& one : cost_columns()) costs.emplace_back(one.key);
  table::add_columns(
      columns, cost_columns(), [](CommunicatorLine const& line) { return line.costs(); }, costs);
  return columns;
}

}  // namespace

std::vector<table::Column<CommunicatorLine>> const& communicator_columns() {
  static auto const columns = make_communicator_columns();
  return columns;
}

}  // namespace mpisee_through
