#include "scaling/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comparison/notices.hpp"
#include "findings/processors.hpp"
#include "summary/families.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The kind is unclear if the exponent of growth of the time outside MPI is between these.
constexpr double clearly_strong = 0.3, clearly_weak = 0.7;
// The wall time on the most ranks over that on the fewest. Below this, scaling is strong: weak scaling does not shorten
// runs.
constexpr double clearly_shorter = 0.8;

double median(std::vector<double> const& values) { return values.empty() ? 0 : describe(values).median; }

double useful_s(Overview const& head) {
  return head.efficiency.useful_mean_s() * static_cast<double>(head.efficiency.ranks());
}

std::optional<double> quotient(std::optional<double> dividend, std::optional<double> divisor) {
  return dividend && divisor && *divisor > 0 ? std::optional(*dividend / *divisor) : std::nullopt;
}

// Why a run cannot be used; empty if it can.
std::string_view why_left_out(Overview const& head) {
  if (head.run.lacks_ranks()) return "ranks are missing";
  return head.run.wall_s > 0 ? "" : "it took no time";
}

class PointMaker {
 public:
  explicit PointMaker(Runs const& runs) : runs_(runs) {}

  std::vector<ScalingPoint> run() {
    std::map<std::uint32_t, RunGroup> groups;
    for (std::size_t run = 0; run < runs_.heads.size(); ++run)
      if (tells_of_scaling(runs_.heads[run])) groups[runs_.heads[run].run.ranks].push_back(run);
    std::vector<ScalingPoint> points;
    for (auto const& [ranks, group] : groups) points.push_back(make(ranks, group));
    return points;
  }

 private:
  ScalingPoint make(std::uint32_t ranks, RunGroup const& group) const {
    ScalingPoint point;
    point.ranks = ranks;
    point.runs = group;
    for (std::size_t const run : group) point.hosts = std::max(point.hosts, runs_.heads[run].hosts);
    point.walls_s = values(group, [](Overview const& head) { return head.run.wall_s; });
    point.wall_s = describe(point.walls_s);
    point.useful_s = median(values(group, useful_s));
    point.queued_share = median(values(group, [](Overview const& head) { return ProcessorWaits(head).of_all(); }));
    point.cpu_s = median_cpu_s(group);
    point.mpi_share = median(values(group, [](Overview const& head) { return head.mpi_share().value_or(0); }));
    for (auto const& [factor, efficiency] : {std::pair(FactorIndex::parallel, &Efficiency::parallel),
                                             std::pair(FactorIndex::load_balance, &Efficiency::load_balance),
                                             std::pair(FactorIndex::communication, &Efficiency::communication)})
      point.values[static_cast<std::size_t>(factor)] = median_of(group, efficiency);
    point.communicator_shares = communicator_shares(group);
    return point;
  }

  template <class Value>
  [[nodiscard]] std::vector<double> values(RunGroup const& group, Value value) const {
    std::vector<double> all;
    for (std::size_t const run : group) all.push_back(value(runs_.heads[run]));
    return all;
  }

  // Nothing if it is unknown for a rank.
  [[nodiscard]] std::optional<double> median_cpu_s(RunGroup const& group) const {
    std::vector<double> all;
    for (std::size_t const run : group) {
      double& sum = all.emplace_back();
      for (RankTimes const& rank : runs_.heads[run].times_of_rank) {
        if (!rank.cpu_s) return std::nullopt;
        sum += *rank.cpu_s;
      }
    }
    return median(all);
  }

  // Nothing if the value is unknown for a run.
  [[nodiscard]] std::optional<double> median_of(RunGroup const& group,
                                                std::optional<double> (Efficiency::*value)() const) const {
    std::vector<double> all;
    for (std::size_t const run : group) {
      auto const one = (runs_.heads[run].efficiency.*value)();
      if (!one) return std::nullopt;
      all.push_back(*one);
    }
    return median(all);
  }

  [[nodiscard]] std::map<std::string, double> communicator_shares(RunGroup const& group) const {
    std::map<std::string, std::vector<double>> shares;  // one value for each run of the group
    for (auto const& [name, communicator] : runs_.communicators) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        auto const& effort = communicator.all[group[i]];
        double const wall_s = runs_.heads[group[i]].threads_wall_s;
        if (!effort || wall_s <= 0) continue;
        std::vector<double>& of_family = shares[family_of(name)];
        of_family.resize(group.size());
        of_family[i] += effort->rank_time_s / wall_s;
      }
    }
    std::map<std::string, double> medians;
    for (auto const& [family, of_runs] : shares) medians[family] = median(of_runs);
    return medians;
  }

  Runs const& runs_;
};

// The time outside MPI, without waiting for processors.
double computed_s(ScalingPoint const& point) { return point.useful_s * (1 - std::min(point.queued_share, 1.0)); }

// The exponent by which a time grows with the ranks.
std::optional<double> growth_of(Scaling const& scaling, double first_s, double last_s) {
  if (scaling.first().ranks == scaling.last().ranks || first_s <= 0 || last_s <= 0) return std::nullopt;
  return std::log(last_s / first_s) / std::log(static_cast<double>(scaling.last().ranks) / scaling.first().ranks);
}

bool have_same_arguments(Runs const& runs, RunGroup const& left, RunGroup const& right) {
  auto const arguments = [&](std::size_t run) -> auto const& { return runs.heads[run].run.arguments; };
  return arguments(left.front()) == arguments(right.front());
}

// Whether ranks computed longer than they had a processor: they waited for one, or slept.
bool lacks_processor_time(Scaling const& scaling) { return scaling.cpu_growth && *scaling.cpu_growth < clearly_weak; }

// The kind of scaling; nothing if the signs disagree.
std::optional<ScalingKind> kind_of(Scaling const& scaling) {
  if (!scaling.growth || scaling.wall_factor < clearly_shorter || *scaling.growth <= clearly_strong)
    return ScalingKind::strong;
  bool const may_be_weak = !scaling.same_arguments && !lacks_processor_time(scaling);
  return *scaling.growth >= clearly_weak && may_be_weak ? std::optional(ScalingKind::weak) : std::nullopt;
}

// Computes all values that are relative to the point with the fewest ranks.
void relate_to_first(std::vector<ScalingPoint>& points, std::optional<ScalingKind> kind) {
  ScalingPoint const first = points.front();
  for (ScalingPoint& point : points) {
    double const more_ranks = static_cast<double>(point.ranks) / first.ranks;
    auto const more_work = [&](ScalingKind one) { return one == ScalingKind::weak ? more_ranks : 1; };
    for (ScalingKind const one : {ScalingKind::strong, ScalingKind::weak}) {
      ScalingPoint::Gain& gain = point.gains[static_cast<std::size_t>(one)];
      gain.speed_up = more_work(one) * first.wall_s.median / point.wall_s.median;
      gain.of_ideal = gain.speed_up / more_ranks;
    }
    if (!kind) continue;
    auto const computation = quotient(more_work(*kind) * first.useful_s, point.useful_s);
    point.values[static_cast<std::size_t>(FactorIndex::computation)] = computation;
    auto const parallel = point.value(FactorIndex::parallel);
    if (parallel && computation) point.values[static_cast<std::size_t>(FactorIndex::global)] = *parallel * *computation;
  }
}

std::vector<std::string> notices_of(Runs const& runs, Scaling const& scaling) {
  std::vector<std::string> notices = mpisee_through::notices_of(runs);
  for (Overview const& head : runs.heads)
    if (std::string_view const why = why_left_out(head); !why.empty())
      notices.push_back(fmt::format("{} is left out: {}.", head.profile, why));
  RunGroup more_ranks;
  for (std::size_t i = 1; i < scaling.points.size(); ++i)
    more_ranks.insert(more_ranks.end(), scaling.points[i].runs.begin(), scaling.points[i].runs.end());
  if (!more_ranks.empty()) {
    for (std::string& one : differences_of(runs, scaling.first().runs, more_ranks)) notices.push_back(std::move(one));
  }
  std::string crowded;
  for (ScalingPoint const& point : scaling.points) {
    if (point.queued_share >= crowded_share)
      crowded += fmt::format("{}{} of the time with {}", crowded.empty() ? "" : ", ", format_share(point.queued_share),
                             format_number_of(point.ranks, "rank"));
  }
  if (!crowded.empty()) notices.push_back(fmt::format("Ranks shared processors, and waited for them: {}.", crowded));
  return notices;
}

}  // namespace

bool tells_of_scaling(Overview const& head) { return why_left_out(head).empty(); }

Scaling scaling_of(Runs const& runs, std::optional<ScalingKind> kind) {
  Scaling scaling;
  scaling.points = PointMaker(runs).run();
  if (scaling.points.empty()) throw SelectionError("no run has all its ranks and took time");
  scaling.growth = growth_of(scaling, computed_s(scaling.first()), computed_s(scaling.last()));
  scaling.cpu_growth = growth_of(scaling, scaling.first().cpu_s.value_or(0), scaling.last().cpu_s.value_or(0));
  scaling.same_arguments = have_same_arguments(runs, scaling.first().runs, scaling.last().runs);
  scaling.wall_factor = scaling.last().wall_s.median / scaling.first().wall_s.median;
  scaling.is_told = !kind && scaling.growth;
  scaling.kind = kind ? kind : kind_of(scaling);
  relate_to_first(scaling.points, scaling.kind);
  scaling.notices = notices_of(runs, scaling);
  return scaling;
}

std::vector<std::string> families_by_time(Scaling const& scaling, std::optional<std::size_t> top) {
  std::map<std::string, double> of_last;
  for (ScalingPoint const& point : scaling.points)
    for (auto const& [family, share] : point.communicator_shares) of_last[family] = 0;
  for (auto const& [family, share] : scaling.last().communicator_shares) of_last[family] = share;
  std::vector<std::string> families;
  for (auto const& [family, share] : of_last) families.push_back(family);
  std::ranges::stable_sort(families, std::ranges::greater{}, [&](std::string const& one) { return of_last[one]; });
  if (top && families.size() > *top) families.resize(*top);
  return families;
}

std::string_view name_of(std::optional<ScalingKind> kind) {
  return !kind ? "unclear" : *kind == ScalingKind::strong ? "strong" : "weak";
}

std::string describe_kind(Scaling const& scaling) {
  if (!scaling.is_told)
    return scaling.growth ? fmt::format("{}, as asked for", name_of(scaling.kind))
                          : "unknown, from one number of ranks";
  std::string text =
      fmt::format("{}: with twice the ranks, the time outside MPI is {:.2f} times as long, summed over ranks{}",
                  name_of(scaling.kind), std::exp2(*scaling.growth),
                  scaling.last().queued_share >= crowded_share ? " and without waiting for processors" : "");
  if (!scaling.kind && *scaling.growth >= clearly_weak) {
    if (scaling.same_arguments) text += "; but the arguments are the same";
    if (lacks_processor_time(scaling))
      text += fmt::format("; but the processor time is {:.2f} times as long", std::exp2(*scaling.cpu_growth));
  }
  if (!scaling.kind)
    return text + fmt::format("; the wall time on {} is {} of that on {}; --strong or --weak decides",
                              format_number_of(scaling.last().ranks, "rank"), format_share(scaling.wall_factor),
                              format_number_of(scaling.first().ranks, "rank"));
  bool const because_shorter = *scaling.kind == ScalingKind::strong && *scaling.growth > clearly_strong;
  if (because_shorter) text += fmt::format("; the wall time falls to {}", format_share(scaling.wall_factor));
  return text;
}

}  // namespace mpisee_through
