#include "scaling/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comparison/notices.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// Growth between these tells neither kind clearly.
constexpr double clearly_strong = 0.3, clearly_weak = 0.7;

double median(std::vector<double> const& values) { return values.empty() ? 0 : describe(values).median; }

double useful_s(Overview const& head) {
  return head.efficiency.useful_mean_s() * static_cast<double>(head.efficiency.ranks());
}

double queued_share(Overview const& head) {
  double queued_s = 0, wall_s = 0;  // of the whole run, also where the head is that of a region
  for (RankTimes const& times : head.times_of_rank) {
    queued_s += times.queued_s.value_or(0);
    wall_s += times.wall_s;
  }
  return wall_s > 0 ? queued_s / wall_s : 0;
}

std::optional<double> quotient(std::optional<double> dividend, std::optional<double> divisor) {
  return dividend && divisor && *divisor > 0 ? std::optional(*dividend / *divisor) : std::nullopt;
}

class PointMaker {
 public:
  explicit PointMaker(Runs const& runs) : runs_(runs) {}

  std::vector<ScalingPoint> run() {
    std::map<std::uint32_t, RunGroup> groups;
    for (std::size_t run = 0; run < runs_.heads.size(); ++run) groups[runs_.heads[run].run.ranks].push_back(run);
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
    point.wall_s = describe(values(group, [](Overview const& head) { return head.run.wall_s; }));
    point.useful_s = median(values(group, useful_s));
    point.queued_share = median(values(group, queued_share));
    point.mpi_share =
        median(values(group, [](Overview const& head) { return head.wall_s > 0 ? head.mpi_s / head.wall_s : 0; }));
    for (auto const& [factor, efficiency] : {std::pair(FactorIndex::parallel, &Efficiency::parallel),
                                             std::pair(FactorIndex::load_balance, &Efficiency::load_balance),
                                             std::pair(FactorIndex::communication, &Efficiency::communication),
                                             std::pair(FactorIndex::serialisation, &Efficiency::serialisation),
                                             std::pair(FactorIndex::transfer, &Efficiency::transfer)})
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

  // Nothing if a run does not know it.
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
    std::map<std::string, std::vector<double>> shares;  // of each run of the group
    for (auto const& [name, communicator] : runs_.communicators) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        auto const& effort = communicator.all[group[i]];
        double const wall_s = runs_.heads[group[i]].wall_s;
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

// Between the fewest ranks and the most that did not share processors: waiting for these is no computation. Between all
// if they did on all.
std::optional<double> growth_of(std::vector<ScalingPoint> const& points) {
  ScalingPoint const& first = points.front();
  ScalingPoint const* last = &points.back();
  for (ScalingPoint const& point : points)
    if (point.ranks > first.ranks && point.queued_share < crowded_share) last = &point;
  if (first.ranks == last->ranks || first.useful_s <= 0 || last->useful_s <= 0) return std::nullopt;
  return std::log(last->useful_s / first.useful_s) / std::log(static_cast<double>(last->ranks) / first.ranks);
}

// What needs to know the kind: all that is in terms of the fewest ranks.
void relate_to_first(std::vector<ScalingPoint>& points, ScalingKind kind) {
  ScalingPoint const first = points.front();
  for (ScalingPoint& point : points) {
    double const more_ranks = static_cast<double>(point.ranks) / first.ranks;
    double const more_work = kind == ScalingKind::weak ? more_ranks : 1;
    if (point.wall_s.median > 0) point.speed_up = more_work * first.wall_s.median / point.wall_s.median;
    point.of_ideal = point.speed_up / more_ranks;
    auto const computation = quotient(more_work * first.useful_s, point.useful_s);
    point.values[static_cast<std::size_t>(FactorIndex::computation)] = computation;
    auto const parallel = point.value(FactorIndex::parallel);
    if (parallel && computation) point.values[static_cast<std::size_t>(FactorIndex::global)] = *parallel * *computation;
  }
}

std::vector<std::string> notices_of(Runs const& runs, Scaling const& scaling) {
  std::vector<std::string> notices = mpisee_through::notices_of(runs);
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

bool Scaling::is_clear() const { return !growth || *growth <= clearly_strong || *growth >= clearly_weak; }

Scaling scaling_of(Runs const& runs, std::optional<ScalingKind> kind) {
  Scaling scaling;
  scaling.points = PointMaker(runs).run();
  scaling.growth = growth_of(scaling.points);
  scaling.is_told = !kind && scaling.growth;
  bool const grows = scaling.growth.value_or(0) > (clearly_strong + clearly_weak) / 2;
  scaling.kind = kind.value_or(grows ? ScalingKind::weak : ScalingKind::strong);
  relate_to_first(scaling.points, scaling.kind);
  scaling.notices = notices_of(runs, scaling);
  return scaling;
}

std::string family_of(std::string_view communicator) {
  std::string family;
  bool is_of_rank = false;
  for (char const one : communicator) {
    is_of_rank = is_of_rank && one >= '0' && one <= '9';
    if (is_of_rank) continue;
    family += one;
    if (one != '.') continue;
    family += '*';
    is_of_rank = true;
  }
  return family;
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

std::string describe_kind(Scaling const& scaling) {
  std::string const kind = scaling.kind == ScalingKind::strong ? "strong" : "weak";
  if (!scaling.is_told) return scaling.growth ? kind + ", as asked for" : "unknown, from one number of ranks";
  return fmt::format("{}: with twice the ranks, the time outside MPI is {:.2f} times as long, summed over ranks{}",
                     kind, std::exp2(*scaling.growth),
                     scaling.is_clear() ? "" : "; not clear, --strong or --weak decides");
}

}  // namespace mpisee_through
