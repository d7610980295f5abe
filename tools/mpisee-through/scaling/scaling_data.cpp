// CSV and JSON: seconds and parts from 0 to 1, with all digits. Empty (null) where there is no value.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "files/json.hpp"
#include "scaling/scaling_forms.hpp"
#include "text/csv_field.hpp"

namespace mpisee_through {
namespace {

std::string factor_columns() {
  std::string columns;
  for (Factor const& factor : factors) columns += fmt::format(",{}", factor.quantity);
  return columns;
}

std::string factor_fields(ScalingPoint const& point) {
  std::string fields;
  for (auto const& value : point.values) fields += "," + csv_field(value);
  return fields;
}

void add_factors(Json& object, ScalingPoint const& point) {
  for (std::size_t i = 0; i < factors.size(); ++i)
    object[std::string(factors[i].quantity)] = number_or_null(point.values[i]);
}

Json point_object(ScalingShown const& shown, ScalingPoint const& point) {
  Json runs = Json::array();
  for (std::size_t const run : point.runs) runs.push_back(shown.runs.heads[run].profile);
  Json object{{"ranks", point.ranks},          {"runs", std::move(runs)},        {"hosts", point.hosts},
              {"wall_s", point.wall_s.median}, {"wall_min_s", point.wall_s.min}, {"wall_max_s", point.wall_s.max},
              {"speed_up", point.speed_up},    {"of_ideal", point.of_ideal}};
  add_factors(object, point);
  object["mpi_share"] = point.mpi_share;
  object["queued_share"] = point.queued_share;
  object["communicators"] = Json::object();
  for (std::string const& family : families_by_time(shown.scaling, shown.top)) {
    auto const found = point.communicator_shares.find(family);
    if (found != point.communicator_shares.end()) object["communicators"][family] = found->second;
  }
  return object;
}

Json extrapolation_object(Extrapolation const& extrapolation) {
  Json times = Json::array();
  for (ExtrapolatedTime const& one : extrapolation.times)
    times.push_back({{"ranks", one.ranks}, {"wall_s", one.wall_s}, {"low_s", one.low_s}, {"high_s", one.high_s}});
  return {{"law", extrapolation.law}, {"reason", extrapolation.reason}, {"times", std::move(times)}};
}

// Numbers of one commit, as in the table.
Json commit_object(CommitRuns const& commit) {
  Json points = Json::array();
  for (ScalingPoint const& point : commit.scaling.points) {
    Json object{{"ranks", point.ranks}, {"runs", point.runs.size()}, {"wall_s", point.wall_s.median}};
    add_factors(object, point);
    points.push_back(std::move(object));
  }
  return {{"commit", commit.commit}, {"start", commit.start}, {"points", std::move(points)}};
}

}  // namespace

void write_scaling_csv(std::ostream& out, ScalingShown const& shown) {
  fmt::print(out, "ranks,comm,runs,hosts,wall_s,wall_min_s,wall_max_s,speed_up,of_ideal{},wall_share,extrapolated\n",
             factor_columns());
  for (ScalingPoint const& point : shown.scaling.points)
    fmt::print(out, "{},,{},{},{},{},{},{},{}{},{},0\n", point.ranks, point.runs.size(), point.hosts,
               point.wall_s.median, point.wall_s.min, point.wall_s.max, point.speed_up, point.of_ideal,
               factor_fields(point), point.mpi_share);
  std::string const no_factors(factors.size(), ',');
  for (ExtrapolatedTime const& one : shown.extrapolation.times)
    fmt::print(out, "{},,,,{},{},{},,{},,1\n", one.ranks, one.wall_s, one.low_s, one.high_s, no_factors);
  for (std::string const& family : families_by_time(shown.scaling, shown.top)) {
    for (ScalingPoint const& point : shown.scaling.points) {
      auto const found = point.communicator_shares.find(family);
      if (found != point.communicator_shares.end())
        fmt::print(out, "{},{},{},{},,,,,{},{},0\n", point.ranks, csv_field(family), point.runs.size(), point.hosts,
                   no_factors, found->second);
    }
  }
}

void write_scaling_json(std::ostream& out, ScalingShown const& shown) {
  Scaling const& scaling = shown.scaling;
  Json points = Json::array();
  for (ScalingPoint const& point : scaling.points) points.push_back(point_object(shown, point));
  out << Json{{"scaling", scaling.kind == ScalingKind::strong ? "strong" : "weak"},
              {"region", shown.region},
              {"told_by_growth", scaling.is_told},
              {"growth", number_or_null(scaling.growth)},
              {"notes", scaling.notices},
              {"points", std::move(points)},
              {"extrapolation", extrapolation_object(shown.extrapolation)}}
      << '\n';
}

void write_history_csv(std::ostream& out, History const& history) {
  fmt::print(out, "start,commit,ranks,runs,wall_s{}\n", factor_columns());
  for (CommitRuns const& commit : history)
    for (ScalingPoint const& point : commit.scaling.points)
      fmt::print(out, "{},{},{},{},{}{}\n", csv_field(commit.start), csv_field(commit.commit), point.ranks,
                 point.runs.size(), point.wall_s.median, factor_fields(point));
}

void write_history_json(std::ostream& out, History const& history) {
  Json commits = Json::array();
  for (CommitRuns const& commit : history) commits.push_back(commit_object(commit));
  out << Json{{"commits", std::move(commits)}} << '\n';
}

}  // namespace mpisee_through
