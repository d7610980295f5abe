#include "placement/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "summary/simple_placements.hpp"

namespace mpisee_through {
namespace {

constexpr int scotch_seeds = 6, most_shaken = 24;
// Shaking ends after this many steps of the search; 10^8 take a second.
constexpr std::int64_t most_steps_of_search = 600'000'000;
constexpr double as_good = 1.01;  // loads of the busiest link that count as equal to the lowest

// Gives each rank the next free slot of its host.
Placement on_slots(Machine const& machine, std::vector<std::size_t> const& host_of_rank) {
  std::vector<std::uint32_t> taken(machine.hosts().size(), 0);
  Placement placement;
  for (std::size_t const host : host_of_rank) placement.push_back(machine.slot(host, taken[host]++));
  return placement;
}

class Search {
 public:
  explicit Search(SearchInput const& input) : input_(input) {}

  SearchResult run() {
    Machine const& machine = input_.machine;
    std::vector<std::size_t> room;
    for (std::size_t host = 0; host < machine.hosts().size(); ++host) room.push_back(machine.slots_of(host));
    // The present placement comes first and wins a tie, so that no rank moves without a gain.
    try_start("now", input_.now);
    try_start("blocks", on_slots(machine, dealt_in_blocks(room)));
    try_start("round robin", on_slots(machine, dealt_in_turn(room)));
    for (int seed = 1; seed <= scotch_seeds; ++seed)
      try_start(fmt::format("Scotch, seed {}", seed), map_by_scotch(input_, 2 * seed - 1));  // 2 equals 3, and so on
    for (int i = 1; i <= most_shaken && steps_ < most_steps_of_search; ++i) (void)improve(shaken(i));
    return {best().placement, std::move(starts_)};
  }

 private:
  struct Candidate {
    Placement placement;
    double cost, load;
  };

  void try_start(std::string name, std::optional<Placement> const& placement) {
    if (!placement || std::ranges::find(begun_, *placement) != begun_.end()) return;
    begun_.push_back(*placement);
    auto const [cost, load] = judge(*placement);
    auto const [cost_after, load_after] = improve(*placement);
    starts_.push_back({std::move(name), cost, load, cost_after, load_after});
  }

  std::pair<double, double> improve(Placement placement) {
    steps_ += lower_cost(placement, input_);
    auto const judged = judge(placement);
    if (input_.routes == nullptr) return judged;
    steps_ += relieve_links(placement, input_);
    return judge(placement);
  }

  // The cheapest placement so far, after random swaps.
  [[nodiscard]] Placement shaken(int seed) const {
    Placement placement = std::ranges::min(candidates_, {}, &Candidate::cost).placement;
    std::mt19937 random(static_cast<unsigned>(seed));
    std::size_t const swaps = placement.size() / 8 + 1;
    for (std::size_t i = 0; i < swaps; ++i)
      std::swap(placement[random() % placement.size()], placement[random() % placement.size()]);
    return placement;
  }

  // Adds the placement to the candidates. Returns its cost and the load of its busiest link.
  std::pair<double, double> judge(Placement const& placement) {
    double const cost = cost_of(input_.work, input_.machine, input_.costs, placement);
    double const load = input_.routes == nullptr ? 0 : link_effects_of(input_.work, *input_.routes, placement).load;
    candidates_.push_back({placement, cost, load});
    return {cost, load};
  }

  // The cheapest of those whose busiest link has nearly the lowest load, and no more than it has now.
  [[nodiscard]] Candidate const& best() const {
    double limit = std::ranges::min(candidates_, {}, &Candidate::load).load * as_good;
    if (input_.now) limit = std::min(limit, candidates_.front().load);
    Candidate const* best = nullptr;
    for (Candidate const& one : candidates_) {
      // Rounding makes equal sums differ in the last digits.
      bool const is_cheaper = best == nullptr || one.cost < best->cost * (1 - 1e-12);
      if (one.load <= limit && is_cheaper) best = &one;
    }
    return *best;
  }

  SearchInput const& input_;
  std::vector<Placement> begun_;
  std::vector<Candidate> candidates_;
  std::vector<Start> starts_;
  std::int64_t steps_ = 0;
};

}  // namespace

SearchResult search_placement(SearchInput const& input) { return Search(input).run(); }

}  // namespace mpisee_through
