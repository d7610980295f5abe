#include "placement/search.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "placement/nearness.hpp"
#include "placement/scotch.hpp"
#include "placement/starts.hpp"
#include "placement/swaps.hpp"

using namespace mpisee_through;

namespace {

PairTraffic pair_of(std::size_t from, std::size_t to, std::uint64_t bytes) {
  return {WorldRank{static_cast<std::uint32_t>(from)}, WorldRank{static_cast<std::uint32_t>(to)}, {1, bytes}};
}

// Ranks 0 to n - 1 in a random order, which is equal in each run.
std::vector<std::size_t> shuffled(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(7);
  for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[random() % (i + 1)]);
  return order;
}

std::vector<PairTraffic> shuffled_ring(std::size_t n) {
  auto const order = shuffled(n);
  std::vector<PairTraffic> pairs;
  for (std::size_t i = 0; i < n; ++i) pairs.push_back(pair_of(order[i], order[(i + 1) % n], 100));
  return pairs;
}

std::vector<PairTraffic> shuffled_grid(std::size_t side) {
  auto const order = shuffled(side * side * side);
  auto const at = [&](std::size_t x, std::size_t y, std::size_t z) { return order[(x * side + y) * side + z]; };
  std::vector<PairTraffic> pairs;
  for (std::size_t x = 0; x < side; ++x)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t z = 0; z < side; ++z) {
        if (x + 1 < side) pairs.push_back(pair_of(at(x, y, z), at(x + 1, y, z), 1000));
        if (y + 1 < side) pairs.push_back(pair_of(at(x, y, z), at(x, y + 1, z), 1000));
        if (z + 1 < side) pairs.push_back(pair_of(at(x, y, z), at(x, y, z + 1), 1000));
      }
  return pairs;
}

std::vector<PairTraffic> random_pairs(std::size_t n, std::size_t count) {
  std::mt19937 random(11);
  std::vector<PairTraffic> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const from = random() % n, to = random() % n;
    pairs.push_back(pair_of(from, to, random() % 1000));
  }
  return pairs;
}

// Two packages a host, each with half of its slots.
Machine machine_of(std::vector<std::size_t> const& slots) {
  std::vector<MachineHost> hosts;
  for (std::size_t const some : slots) {
    hosts.push_back({"h" + std::to_string(hosts.size())});
    for (std::size_t i = 0; i < some; ++i)
      hosts.back().slots.push_back({std::to_string(2 * i / some), "", std::to_string(i)});
  }
  return Machine(std::move(hosts));
}

bool has_one_rank_a_slot(Placement placement, std::size_t slots) {
  std::ranges::sort(placement);
  std::vector<SlotIndex> all(slots);
  std::iota(all.begin(), all.end(), SlotIndex{0});
  return placement == all;
}

struct Case {
  char const* name;
  std::vector<PairTraffic> pairs;
  std::vector<std::size_t> slots;
  std::size_t ranks;
};

std::vector<Case> cases() {
  return {{"grid on equal hosts", shuffled_grid(4), {16, 16, 16, 16}, 64},
          {"grid on unequal hosts", shuffled_grid(4), {5, 20, 3, 16, 13, 7}, 64},
          {"grid with free slots", shuffled_grid(4), {32, 32, 32}, 64},
          {"random, on hosts of one slot too", random_pairs(40, 300), {1, 1, 8, 30}, 40},
          {"all with all", random_pairs(30, 3000), {10, 10, 10}, 30},
          {"nothing at all", {}, {2, 2}, 4}};
}

}  // namespace

TEST_CASE("a proposal costs no more than any start, and has one rank a slot") {
  for (Case const& one : cases()) {
    INFO(one.name);
    Work const work(one.pairs, one.ranks);
    Machine const machine = machine_of(one.slots);
    for (auto const weight : {PlacementWeight::bytes, PlacementWeight::messages, PlacementWeight::time}) {
      Costs const costs(weight, machine.levels());
      Placement const now = in_turn(machine);
      SearchResult const found = search_placement({work, machine, costs, now, {}});
      CHECK(has_one_rank_a_slot(found.placement, machine.slots().size()));
      CHECK(found.cost == cost_of(work, machine, costs, found.placement));
      for (Placement const& start : {now, in_blocks(machine), in_turn(machine)})
        CHECK(found.cost <= cost_of(work, machine, costs, start) * (1 + 1e-12));
      for (Start const& start : found.starts) {
        CHECK(start.improved <= start.cost * (1 + 1e-12));
        CHECK(found.cost <= start.improved * (1 + 1e-12));
      }
      CHECK(search_placement({work, machine, costs, now, {}}).placement == found.placement);
    }
  }
}

// A ring is cut once on each host: as many messages of 100 bytes as there are hosts leave one, at a cost of 20 a byte.
TEST_CASE("a shuffled ring is cut as often as there are hosts") {
  Work const work(shuffled_ring(24), 24);
  std::vector<MachineHost> hosts;
  for (std::size_t host = 0; host < 4; ++host) hosts.push_back({std::to_string(host), {}, std::vector<SlotPlace>(6)});
  Machine const machine(hosts);
  Costs costs(PlacementWeight::bytes, machine.levels());
  REQUIRE(costs.set({"host", 0}));
  SearchResult const found = search_placement({work, machine, costs, std::nullopt, {}});
  CHECK(found.cost == 4 * 100 * 20);
  CHECK(cost_of(work, machine, costs, in_blocks(machine)) > 4 * 100 * 20);
}

TEST_CASE("ranks that have to stay do, and the others still find their partners") {
  Work const work(shuffled_grid(3), 27);
  Machine const machine = machine_of({9, 9, 9});
  Costs const costs(PlacementWeight::bytes, machine.levels());
  Placement const now = in_blocks(machine);
  std::vector<std::optional<SlotIndex>> kept(27);
  for (std::size_t const rank : {0UL, 5UL, 13UL, 26UL}) kept[rank] = now[rank];
  SearchResult const found = search_placement({work, machine, costs, now, kept});
  for (std::size_t rank = 0; rank < kept.size(); ++rank)
    if (kept[rank]) CHECK(found.placement[rank] == *kept[rank]);
  CHECK(found.cost < cost_of(work, machine, costs, now));
  CHECK(has_one_rank_a_slot(found.placement, 27));
}

// Checks the gains that the swaps compute against costs computed from scratch, with a table and common partners.
TEST_CASE("the costs that swaps know are those of the placement, after every move") {
  Work const work(random_pairs(20, 150), 20);
  Machine const machine = machine_of({5, 8, 7});
  Costs const costs(PlacementWeight::time, machine.levels());
  Placement placement = in_blocks(machine);
  Nearness nearness(work, machine, costs, placement);
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    auto const one = static_cast<std::uint32_t>(random() % 20), other = static_cast<std::uint32_t>(random() % 20);
    if (one == other) continue;
    std::swap(placement[one], placement[other]);
    nearness.moved(one, placement[other], placement[one]);
    nearness.moved(other, placement[one], placement[other]);
    double sum = 0;
    for (std::uint32_t rank = 0; rank < 20; ++rank) sum += nearness.cost_at(rank, placement[rank]);
    CHECK(sum == Approx(2 * cost_of(work, machine, costs, placement)).epsilon(1e-9));
  }
}

// Two pairs of ranks, each of which wants to be on one host; the slots of the other leaves cannot be used.
TEST_CASE("Scotch maps onto a part of a tree") {
  ScotchGraph const graph{{0, 1, 2, 3, 4}, {2, 3, 0, 1}, {9, 9, 9, 9}};
  auto const leaves = map_by_scotch(graph, {{3, 4}, {20, 1}, {0, 1, 10, 11}}, 1);
  REQUIRE(leaves.has_value());
  CHECK((*leaves)[0] / 2 == (*leaves)[2] / 2);
  CHECK((*leaves)[1] / 2 == (*leaves)[3] / 2);
  CHECK((*leaves)[0] / 2 != (*leaves)[1] / 2);
}

TEST_CASE("costs have a level and one number, or two of time") {
  for (char const* text : {"", "host", "=3", "host=", "host=x", "host=-1", "host=1:", "host=1:0", "host=1:2:3"}) {
    INFO(text);
    CHECK_FALSE(parse_level_cost(text).has_value());
  }
  Costs bytes(PlacementWeight::bytes, 5), time(PlacementWeight::time, 5);
  CHECK(bytes.set(*parse_level_cost("network=7")));
  CHECK(bytes.of(4, 100, 3) == 21);
  CHECK_FALSE(bytes.set(*parse_level_cost("network=7:1")));
  CHECK_FALSE(bytes.set(*parse_level_cost("switch1=7")));  // it has no switches
  CHECK(time.set(*parse_level_cost("network=2:0.5")));
  CHECK(time.of(4, 10, 1000) == Approx(10 * 2 + 2));  // 1,000 bytes at 0.5 GB/s take 2 microseconds
  CHECK_FALSE(time.set(*parse_level_cost("network=2")));
}
