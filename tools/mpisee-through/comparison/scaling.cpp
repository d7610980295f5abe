#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "comparison/comparison.hpp"
#include "comparison/statistics.hpp"
#include "findings/processors.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// Strong scaling: the total work stays the same. Weak scaling: the work of each rank stays the same.
enum class ScalingKind { strong, weak };
// The kind is unclear if the exponent of growth of the time outside MPI is between these.
constexpr double clearly_strong = 0.3, clearly_weak = 0.7;
// The wall time on the most ranks over that on the fewest. Below this, scaling is strong: weak scaling does not shorten
// runs.
constexpr double clearly_shorter = 0.8;

// The runs on one number of ranks. All values are medians over these runs.
struct Point {
  std::uint32_t ranks = 0;
  RunGroup runs{};
  std::uint64_t hosts = 0;  // of the run with the most hosts
  Distribution wall_s{};    // of the slowest rank
  double useful_s = 0;      // time outside MPI with a processor, summed over ranks
  // Waiting for a processor, as a share of the ranks' wall time; where the system does not count it, as far as ranks
  // that share processors had none.
  double queued_share = 0;
  double mpi_share = 0;                 // time in MPI, as a share of the ranks' wall time
  double more_ranks = 1, speed_up = 1;  // relative to the fewest ranks; if scaling is strong
  std::optional<double> global{}, parallel{}, load_balance{}, processors{}, communication{}, computation{};
  std::map<std::string, double> communicators{};  // the share of the ranks' wall time in calls on each

  [[nodiscard]] double speed_up_if(ScalingKind kind) const {
    return kind == ScalingKind::weak ? speed_up * more_ranks : speed_up;
  }
  [[nodiscard]] double of_ideal_if(ScalingKind kind) const { return speed_up_if(kind) / more_ranks; }
};

// The efficiencies and their factors: 0 to 1; computation scalability may exceed 1. One is the product of those below
// it that are one level deeper.
struct Factor {
  std::string_view title, key;
  std::optional<double> Point::*value;  // null: unknown, as it needs the waiting of all runs, which is not read here
};
constexpr std::array<Factor, 8> factors{{
    {"Global efficiency", "global_efficiency", &Point::global},
    {"  Parallel efficiency", "parallel_efficiency", &Point::parallel},
    {"    Load balance", "load_balance", &Point::load_balance},
    {"    Processor efficiency", "processor_efficiency", &Point::processors},
    {"    Communication efficiency", "communication_efficiency", &Point::communication},
    {"", "serialisation_efficiency", nullptr},
    {"", "transfer_efficiency", nullptr},
    {"  Computation scalability", "computation_scalability", &Point::computation},
}};

struct Scaling {
  std::vector<Point> points;  // ascending by ranks; at least two
  // The exponent by which the useful time grows with the ranks, summed over ranks: 0 for strong scaling, 1 for weak.
  // Nothing if there is none.
  std::optional<double> growth{};
  bool has_same_arguments = false;  // the first runs on the fewest and on the most ranks
  double wall_factor = 1;           // wall time on the most ranks over that on the fewest
  std::optional<ScalingKind> kind;  // nothing if the signs disagree
};

// Why a run cannot be used; empty if it can.
std::string_view why_left_out(Overview const& head) {
  if (head.run.lacks_ranks()) return "ranks are missing";
  return head.run.wall_s > 0 ? "" : "it took no time";
}

Point point_of(Runs const& runs, std::uint32_t ranks, RunGroup const& group) {
  auto const median = [&](auto const& value) -> std::optional<double> {
    auto const values = values_in(runs, group, value);
    return values ? std::optional(describe(*values).median) : std::nullopt;
  };
  Point point{.ranks = ranks, .runs = group};
  for (std::size_t const run : group) point.hosts = std::max(point.hosts, runs.heads[run].hosts);
  point.wall_s = describe(*values_in(runs, group, [](Overview const& head) { return head.run.wall_s; }));
  point.useful_s = *median([](Overview const& head) {
    return head.efficiency.useful_mean_s() * static_cast<double>(head.efficiency.ranks());
  });
  point.queued_share = *median([](Overview const& head) { return ProcessorWaits(head).of_all(); });
  point.mpi_share = *median([](Overview const& head) { return head.mpi_share().value_or(0); });
  point.parallel = median([](Overview const& head) { return head.efficiency.parallel(); });
  point.load_balance = median([](Overview const& head) { return head.efficiency.load_balance(); });
  point.processors = median([](Overview const& head) { return head.efficiency.processors(); });
  point.communication = median([](Overview const& head) { return head.efficiency.communication(); });
  // Without accounts, useful time may have been without a processor.
  if (!point.processors) point.useful_s *= 1 - std::min(point.queued_share, 1.0);
  for (auto const& [name, communicator] : runs.communicators) {
    std::vector<double> shares;
    bool is_called = false;
    for (std::size_t const run : group) {
      auto const& effort = communicator.all[run];
      is_called |= effort.has_value();
      shares.push_back(effort ? share_of(effort->rank_time_s, runs.heads[run].threads_wall_s).value_or(0) : 0);
    }
    if (is_called) point.communicators[name] = describe(shares).median;
  }
  return point;
}

// The kind of scaling; nothing if the signs disagree.
std::optional<ScalingKind> kind_of(Scaling const& scaling) {
  if (!scaling.growth || scaling.wall_factor < clearly_shorter || *scaling.growth <= clearly_strong)
    return ScalingKind::strong;
  return *scaling.growth >= clearly_weak && !scaling.has_same_arguments ? std::optional(ScalingKind::weak)
                                                                        : std::nullopt;
}

// Computes all values that are relative to the point with the fewest ranks.
void relate_to_first(std::vector<Point>& points, std::optional<ScalingKind> kind) {
  Point const first = points.front();
  for (Point& point : points) {
    point.more_ranks = static_cast<double>(point.ranks) / first.ranks;
    point.speed_up = first.wall_s.median / point.wall_s.median;
    if (!kind || point.useful_s <= 0) continue;
    double const more_work = *kind == ScalingKind::weak ? point.more_ranks : 1;
    point.computation = more_work * first.useful_s / point.useful_s;
    if (point.parallel) point.global = *point.parallel * *point.computation;
  }
}

Scaling scaling_of(Runs const& runs) {
  std::map<std::uint32_t, RunGroup> groups;
  for (std::size_t run = 0; run < runs.heads.size(); ++run)
    if (why_left_out(runs.heads[run]).empty()) groups[runs.heads[run].run.ranks].push_back(run);
  if (groups.empty()) throw SelectionError("no run has all its ranks and took time");
  if (groups.size() == 1)
    throw SelectionError(fmt::format("all runs have {}: scaling needs runs on different numbers of ranks",
                                     format_number_of(groups.begin()->first, "rank")));
  Scaling scaling;
  for (auto const& [ranks, group] : groups) scaling.points.push_back(point_of(runs, ranks, group));
  Point const &first = scaling.points.front(), &last = scaling.points.back();
  auto const arguments = [&](Point const& point) { return runs.heads[point.runs.front()].run.arguments; };
  scaling.has_same_arguments = arguments(first) == arguments(last);
  if (first.useful_s > 0 && last.useful_s > 0)
    scaling.growth = std::log(last.useful_s / first.useful_s) / std::log(static_cast<double>(last.ranks) / first.ranks);
  scaling.wall_factor = last.wall_s.median / first.wall_s.median;
  scaling.kind = kind_of(scaling);
  relate_to_first(scaling.points, scaling.kind);
  return scaling;
}

std::vector<std::string> notices_of(Runs const& runs, Scaling const& scaling) {
  std::vector<std::string> notices = defects_of(runs, all_of(runs));
  for (Overview const& head : runs.heads)
    if (std::string_view const why = why_left_out(head); !why.empty())
      notices.push_back(fmt::format("{} is left out: {}.", head.profile, why));
  RunGroup more_ranks;
  std::vector<std::string> crowded;
  for (Point const& point : scaling.points) {
    if (point.ranks > scaling.points.front().ranks)
      more_ranks.insert(more_ranks.end(), point.runs.begin(), point.runs.end());
    if (point.queued_share >= crowded_share)
      crowded.push_back(fmt::format("{} of the time with {}", format_share(point.queued_share),
                                    format_number_of(point.ranks, "rank")));
  }
  std::ranges::move(differences_of(runs, scaling.points.front().runs, more_ranks), std::back_inserter(notices));
  if (!crowded.empty())
    notices.push_back(fmt::format("Ranks shared processors, and waited for them: {}.", fmt::join(crowded, ", ")));
  if (std::ranges::all_of(scaling.points, [](Point const& one) { return one.runs.size() == 1; }))
    notices.emplace_back("One run on each number of ranks: differences may be chance; repeat the runs.");
  return notices;
}

std::string_view name_of(std::optional<ScalingKind> kind) {
  return !kind ? "unclear" : *kind == ScalingKind::strong ? "strong" : "weak";
}

// "strong: with twice the ranks, …".
std::string describe_kind(Scaling const& scaling) {
  if (!scaling.growth) return "unknown: no time is outside MPI";
  Point const &first = scaling.points.front(), &last = scaling.points.back();
  std::string text = fmt::format("{}: with twice the ranks, all ranks together work {:.2f} times as long",
                                 name_of(scaling.kind), std::exp2(*scaling.growth));
  if (!scaling.kind && *scaling.growth >= clearly_weak) text += "; but the arguments are the same";
  if (!scaling.kind || (*scaling.kind == ScalingKind::strong && *scaling.growth > clearly_strong))
    text += fmt::format("; the wall time on {} is {} of that on {}", format_number_of(last.ranks, "rank"),
                        format_share(scaling.wall_factor), format_number_of(first.ranks, "rank"));
  return text;
}

// The communicators, sorted by their time on the most ranks. Includes those that occur only on fewer ranks.
std::vector<std::string> communicators_by_time(Scaling const& scaling) {
  std::map<std::string, double> shares;
  for (Point const& point : scaling.points)
    for (auto const& [name, share] : point.communicators) shares[name] = 0;
  for (auto const& [name, share] : scaling.points.back().communicators) shares[name] = share;
  std::vector<std::string> names;
  for (auto const& [name, share] : shares) names.push_back(name);
  std::ranges::stable_sort(names, std::ranges::greater{}, [&](std::string const& one) { return shares[one]; });
  return names;
}

struct ScalingRow {
  Point const* point;
  std::string communicator{};  // empty for the whole runs
};
using ScalingColumns = std::vector<table::Column<ScalingRow>>;

// Empty in lines of communicators.
template <class Of>
auto whole(Of of) {
  return [of](ScalingRow const& row) {
    return row.communicator.empty() ? table::Value(std::invoke(of, *row.point)) : table::Value();
  };
}

auto wall(double Distribution::*measured) {
  return whole([=](Point const& point) { return point.wall_s.*measured; });
}

table::Value share_of_communicator(Point const& point, std::string const& name) {
  auto const found = point.communicators.find(name);
  return found == point.communicators.end() ? table::Value() : table::Value(found->second);
}

// Empty if the kind is unknown.
auto gain(std::optional<ScalingKind> kind, double (Point::*value)(ScalingKind) const) {
  return whole([=](Point const& point) { return kind ? table::Value((point.*value)(*kind)) : table::Value(); });
}

table::View<ScalingRow> view_of(Scaling const& scaling) {
  bool const has_repetitions =
      std::ranges::any_of(scaling.points, [](Point const& point) { return point.runs.size() > 1; });
  ScalingColumns columns{
      {"ranks", "Ranks", Kind::count, [](ScalingRow const& row) { return row.point->ranks; }},
      {"comm", "", Kind::name, &ScalingRow::communicator},
      {"runs", has_repetitions ? "Runs" : "", Kind::count,
       [](ScalingRow const& row) { return row.point->runs.size(); }},
      {"fastest", has_repetitions ? "Fastest" : "", Kind::seconds, wall(&Distribution::min), In::people},
      {"slowest", has_repetitions ? "Slowest" : "", Kind::seconds, wall(&Distribution::max), In::people},
      {"hosts", "", Kind::count, [](ScalingRow const& row) { return row.point->hosts; }},
      {"wall_s", "Wall time", Kind::seconds, wall(&Distribution::median)},
      {"wall_min_s", "", Kind::seconds, wall(&Distribution::min)},
      {"wall_max_s", "", Kind::seconds, wall(&Distribution::max)},
      {"speed_up", "", Kind::ratio, gain(scaling.kind, &Point::speed_up_if)},
      {"of_ideal", "", Kind::share, gain(scaling.kind, &Point::of_ideal_if)}};
  for (ScalingKind const kind : {ScalingKind::strong, ScalingKind::weak}) {
    if (scaling.kind.value_or(kind) != kind) continue;
    std::string const if_it_is = scaling.kind ? "" : fmt::format(", if {}", name_of(kind));
    auto const speed_up = [kind](Point const& point) { return fmt::format("{:.2f}", point.speed_up_if(kind)); };
    columns.push_back({"speed_up_text", "Speed-up" + if_it_is, Kind::figure, whole(speed_up), In::people});
    columns.push_back(
        {"of_ideal_text", "  of the ideal" + if_it_is, Kind::share, gain(kind, &Point::of_ideal_if), In::people});
  }
  for (Factor const& factor : factors) {
    auto const value = [of = factor.value](Point const& point) { return of == nullptr ? std::nullopt : point.*of; };
    bool const is_known =
        std::ranges::any_of(scaling.points, [&](Point const& point) { return value(point).has_value(); });
    columns.push_back({std::string(factor.key), std::string(is_known ? factor.title : ""), Kind::share, whole(value)});
  }
  auto const share = [](ScalingRow const& row) {
    return row.communicator.empty() ? table::Value(row.point->mpi_share)
                                    : share_of_communicator(*row.point, row.communicator);
  };
  columns.push_back({"wall_share", "", Kind::share, share});
  columns.push_back({"strong_speed_up", "", Kind::ratio, gain(ScalingKind::strong, &Point::speed_up_if)});
  columns.push_back({"weak_speed_up", "", Kind::ratio, gain(ScalingKind::weak, &Point::speed_up_if)});
  return {.name = "points", .columns = std::move(columns)};
}

// For people the share of the ranks' time in MPI, and on each communicator, follow.
table::Table table_for_people(Scaling const& scaling, std::optional<std::size_t> top) {
  table::View<ScalingRow> view = view_of(scaling);
  view.columns.push_back({"mpi_share", "Time in MPI", Kind::share, whole(&Point::mpi_share)});
  std::vector<std::string> const names = communicators_by_time(scaling);
  auto const shown = table::first_of(names, top);
  for (std::string const& name : shown)
    view.columns.push_back({name, "  " + name, Kind::share,
                            [name](ScalingRow const& row) { return share_of_communicator(*row.point, name); }});
  std::vector<ScalingRow> rows;
  for (Point const& point : scaling.points) rows.push_back({&point});
  table::Table table = table_of(view, std::move(rows));
  table.in = In::people;
  table.is_transposed = true;
  table.drawing = {{"as", "lines"}, {"x", "ranks"}, {"doubling", true}, {"y", Json::array()}};
  for (Factor const& factor : factors)
    if (factor.value != nullptr) table.drawing["y"].push_back(factor.key);
  table.hidden = names.size() - shown.size();
  table.noun = "communicator";
  return table;
}

table::Table table_for_programs(Scaling const& scaling, std::optional<std::size_t> top) {
  std::vector<ScalingRow> rows;
  for (Point const& point : scaling.points) rows.push_back({&point});
  std::vector<std::string> const names = communicators_by_time(scaling);
  for (std::string const& name : table::first_of(names, top))
    for (Point const& point : scaling.points)
      if (point.communicators.contains(name)) rows.push_back({&point, name});
  table::Table table = table_of(view_of(scaling), std::move(rows));
  table.in = In::data;
  return table;
}

table::Table table_of_runs(Runs const& runs, Scaling const& scaling) {
  using One = std::pair<std::uint32_t, std::string>;
  std::vector<One> lines;
  for (Point const& point : scaling.points)
    for (std::size_t const run : point.runs) lines.emplace_back(point.ranks, runs.heads[run].profile);
  table::Table table = table_of(
      table::View<One>{.name = "runs",
                       .columns = {{"ranks", "", Kind::count, &One::first}, {"profile", "", Kind::name, &One::second}}},
      std::move(lines));
  table.in = In::json;
  return table;
}

}  // namespace

Document scaling(Runs const& runs, std::string const& region, std::optional<std::size_t> top) {
  auto const held = std::make_shared<Scaling const>(scaling_of(runs));
  Scaling const& scaling = *held;
  std::set<std::string> names;
  for (Overview const& head : runs.heads) names.insert(head.run.program);
  std::string const programs = fmt::format("{}", fmt::join(names, ", "));
  Document document;
  document.run = {{"program", programs},
                  {"region", region},
                  {"scaling", name_of(scaling.kind)},
                  {"told_by_growth", scaling.growth.has_value()},
                  {"growth", scaling.growth ? Json(*scaling.growth) : Json()}};
  document.head = {{"Program", programs}};
  if (!region.empty()) document.head.emplace_back("Region", region);
  document.head.emplace_back("Runs", fmt::format("{} on {} to {}", format_number_of(runs.heads.size(), "run"),
                                                 format_count(scaling.points.front().ranks),
                                                 format_number_of(scaling.points.back().ranks, "rank")));
  document.head.emplace_back("Scaling", describe_kind(scaling));
  for (std::string const& notice : notices_of(runs, scaling)) document.notes.emplace_back("Note", notice);
  document.tables = {table_for_programs(scaling, top), table_for_people(scaling, top), table_of_runs(runs, scaling)};
  table::keep(document, held);
  return document;
}

}  // namespace mpisee_through
