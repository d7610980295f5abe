#include "comparison/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "summary/arrangement.hpp"

namespace mpisee_through {
namespace {

CorrelatedCommunicator correlate_one(Runs const& runs, std::string const& name,
                                     CommunicatorInRuns const& communicator) {
  std::vector<double> wall_s;
  std::vector<double> time_s;
  std::uint64_t size = 0;
  for (std::size_t run = 0; run < runs.heads.size(); ++run) {
    if (!communicator.all[run]) continue;
    wall_s.push_back(runs.heads[run].run.wall_s);
    time_s.push_back(communicator.all[run]->time_s);
    size = std::max(size, communicator.all[run]->size);
  }
  double const sum = std::accumulate(time_s.begin(), time_s.end(), 0.0);
  return {name,
          size,
          time_s.size(),
          sum / static_cast<double>(time_s.size()),
          pearson(wall_s, time_s),
          spearman(wall_s, time_s),
          {},
          {},
          slope(wall_s, time_s)};
}

using OptionalCorrelation = std::optional<Correlation> CorrelatedCommunicator::*;
using OptionalNumber = std::optional<double> CorrelatedCommunicator::*;

void adjust(std::vector<CorrelatedCommunicator>& all, OptionalCorrelation correlation, OptionalNumber adjusted) {
  std::vector<std::optional<double>> p;
  for (auto const& one : all) p.push_back(one.*correlation ? std::optional((one.*correlation)->p) : std::nullopt);
  p = adjust_for_many_tests(p);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].*adjusted = p[i];
}

double weight(CorrelatedCommunicator const& one, CorrelationKey key) {
  constexpr double last = -1;
  auto const strength = [](std::optional<Correlation> const& correlation) {
    return correlation ? std::abs(correlation->coefficient) : last;
  };
  switch (key) {
    case CorrelationKey::pearson:
      return strength(one.pearson);
    case CorrelationKey::spearman:
      return strength(one.spearman);
    case CorrelationKey::slope:
      return one.slope ? std::abs(*one.slope) : last;
    case CorrelationKey::time:
      return one.time_mean_s;
    case CorrelationKey::name:
      break;
  }
  return 0;
}

}  // namespace

std::vector<CorrelatedCommunicator> correlate(Runs const& runs, CorrelationKey key) {
  std::vector<CorrelatedCommunicator> all;
  for (auto const& [name, communicator] : runs.communicators) all.push_back(correlate_one(runs, name, communicator));
  adjust(all, &CorrelatedCommunicator::pearson, &CorrelatedCommunicator::pearson_p_adjusted);
  adjust(all, &CorrelatedCommunicator::spearman, &CorrelatedCommunicator::spearman_p_adjusted);
  std::ranges::sort(all, [key](auto const& left, auto const& right) {
    double const left_weight = weight(left, key);
    double const right_weight = weight(right, key);
    return left_weight != right_weight ? left_weight > right_weight : name_less(left.name, right.name);
  });
  return all;
}

}  // namespace mpisee_through
