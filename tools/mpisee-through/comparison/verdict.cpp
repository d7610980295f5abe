#include "comparison/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comparison/comparison_view.hpp"

namespace mpisee_through {

Verdict judge(Comparison const& comparison, Judged judged, double limit) {
  Verdict verdict;
  auto const judge_one = [&](std::string const& what, Change const& change) {
    if (change.relative().value_or(0) <= limit) return;
    (change.is_significant() ? verdict.slower : verdict.uncertain).push_back({what, change});
  };
  if (judged == Judged::wall_time) judge_one("wall time", comparison.wall);
  if (judged == Judged::communicators)
    for (CommunicatorChange const& one : comparison.communicators) judge_one(one.name, one.change);
  for (auto* slowdowns : {&verdict.slower, &verdict.uncertain})
    std::ranges::stable_sort(*slowdowns, std::ranges::greater{},
                             [](Slowdown const& one) { return one.change.relative(); });
  return verdict;
}

std::string describe(std::vector<Slowdown> const& slowdowns) {
  constexpr std::size_t most_described = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(slowdowns.size(), most_described); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : "; ", slowdowns[i].what, format_times(slowdowns[i].change));
  if (slowdowns.size() > most_described) text += fmt::format("; and {} more", slowdowns.size() - most_described);
  return text;
}

}  // namespace mpisee_through
