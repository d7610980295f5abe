// Compares the efficiencies of runs before and after.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"

namespace mpisee_through {

// One quantity, 0 to 1, over the runs of each side.
struct EfficiencyChange {
  std::string_view name;      // for people
  std::string_view quantity;  // for programs
  int depth;                  // an efficiency is the product of the next two that are one level deeper
  Distribution before;
  Distribution after;
  std::optional<double> p;  // if both sides have several runs

  [[nodiscard]] double difference() const { return after.median - before.median; }
};

// The efficiencies that are known for each run. Empty if the runs have none.
[[nodiscard]] std::vector<EfficiencyChange> compare_efficiencies(Runs const& runs, RunGroup const& before,
                                                                 RunGroup const& after);

}  // namespace mpisee_through
