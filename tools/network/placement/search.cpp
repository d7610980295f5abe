#include "placement/search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placement/starts.hpp"
#include "placement/swaps.hpp"

namespace mpisee_through {
namespace {

constexpr int scotch_seeds = 3;

class Search {
 public:
  explicit Search(SearchInput const& input) : input_(input), fixed_(input.machine.slots().size(), false) {
    for (std::size_t rank = 0; rank < input.kept.size(); ++rank) fixed_[rank] = input.kept[rank].has_value();
  }

  SearchResult run() {
    Machine const& machine = input_.machine;
    // The present placement comes first and wins a tie, so that no rank moves without a gain.
    if (input_.now) try_start("now", *input_.now);
    try_start("blocks", in_blocks(machine));
    try_start("round robin", in_turn(machine));
    try_start("gathered", gathered(input_.work, machine, input_.costs));
    for (int seed = 1; seed <= scotch_seeds; ++seed)
      try_start(fmt::format("Scotch, seed {}", seed), by_scotch(input_.work, machine, input_.costs, seed));
    return std::move(result_);
  }

 private:
  [[nodiscard]] double cost(Placement const& placement) const {
    return cost_of(input_.work, input_.machine, input_.costs, placement);
  }

  void try_start(std::string name, std::optional<Placement> placement) {
    if (!placement) return;
    put(*placement, input_.kept);
    auto const same = std::ranges::find(tried_, *placement);
    if (same != tried_.end()) {
      Start const& known = result_.starts[static_cast<std::size_t>(same - tried_.begin())];
      result_.starts.push_back({std::move(name), known.cost, known.improved});
      tried_.push_back(std::move(*placement));
      return;
    }
    tried_.push_back(*placement);
    double const before = cost(*placement);
    consider(*placement, before);
    improve_by_swaps(*placement, input_.work, input_.machine, input_.costs, fixed_);
    double const after = cost(*placement);
    consider(*placement, after);
    result_.starts.push_back({std::move(name), before, after});
  }

  void consider(Placement const& placement, double cost) {
    bool const is_first = result_.placement.empty();
    // Rounding makes equal sums differ in the last digits.
    if (!is_first && cost >= result_.cost * (1 - 1e-12)) return;
    result_.placement = placement;
    result_.cost = cost;
  }

  SearchInput const& input_;
  std::vector<bool> fixed_;
  std::vector<Placement> tried_;  // in the order of result_.starts
  SearchResult result_{};
};

}  // namespace

SearchResult search_placement(SearchInput const& input) { return Search(input).run(); }

}  // namespace mpisee_through
