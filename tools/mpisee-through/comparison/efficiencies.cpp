#include "comparison/efficiencies.hpp"

#include <array>

namespace mpisee_through {
namespace {

struct Quantity {
  std::string_view name;
  std::string_view quantity;
  int depth;
  std::optional<double> (Efficiency::*of)() const;
};

constexpr std::array<Quantity, 3> quantities{{
    {"Parallel", "parallel_efficiency", 0, &Efficiency::parallel},
    {"Load balance", "load_balance", 1, &Efficiency::load_balance},
    {"Communication", "communication_efficiency", 1, &Efficiency::communication},
}};

// The quantity in each run; nothing if a run lacks it.
std::optional<std::vector<double>> values(Runs const& runs, RunGroup const& group, Quantity const& quantity) {
  std::vector<double> all;
  for (std::size_t const run : group) {
    std::optional<double> const value = (runs.heads[run].efficiency.*quantity.of)();
    if (!value) return std::nullopt;
    all.push_back(*value);
  }
  return all;
}

}  // namespace

std::vector<EfficiencyChange> compare_efficiencies(Runs const& runs, RunGroup const& before, RunGroup const& after) {
  std::vector<EfficiencyChange> changes;
  if (!runs.has_efficiencies) return changes;
  bool const is_tested = before.size() > 1 && after.size() > 1;
  for (Quantity const& one : quantities) {
    auto const left = values(runs, before, one);
    auto const right = values(runs, after, one);
    if (!left || !right) continue;
    changes.push_back({one.name, one.quantity, one.depth, describe(*left), describe(*right),
                       is_tested ? std::optional(mann_whitney_p(*left, *right)) : std::nullopt});
  }
  return changes;
}

}  // namespace mpisee_through
