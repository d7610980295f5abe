// The efficiencies of the runs, before and after.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"

namespace mpisee_through {

// Of one quantity, 0 to 1, over the runs of each side.
struct EfficiencyChange {
  std::string_view name;      // for people
  std::string_view quantity;  // for programs
  int depth;                  // an efficiency is the product of the two that follow with one depth more
  Distribution before;
  Distribution after;
  std::optional<double> p;  // if both sides have several runs

  [[nodiscard]] double difference() const { return after.median - before.median; }
};

// Those that are known of each run; none if the runs have no efficiencies.
[[nodiscard]] std::vector<EfficiencyChange> compare_efficiencies(Runs const& runs, RunGroup const& before,
                                                                 RunGroup const& after);

}  // namespace mpisee_through
