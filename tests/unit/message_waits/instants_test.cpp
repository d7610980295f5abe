#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "message_waits/streams.hpp"

using namespace commprof;
using instants::Cell;

TEST_CASE("each block has one instant, and a higher level has half of those below") {
  constexpr Cell first = 123'456 << 12, cells = 1 << 12;
  std::set<Cell> below;
  for (Cell cell = first; cell < first + cells; ++cell) {
    CHECK(instants::is_kept(cell, 0));
    below.insert(cell);
  }
  for (unsigned level = 1; level <= 12; ++level) {
    std::set<Cell> kept;
    for (Cell cell = first; cell < first + cells; ++cell)
      if (instants::is_kept(cell, level)) kept.insert(cell);
    CHECK(kept.size() == cells >> level);
    for (Cell const cell : kept) CHECK(below.count(cell) == 1);
    std::set<Cell> blocks;
    for (Cell const cell : kept) blocks.insert(cell >> level);
    CHECK(blocks.size() == kept.size());
    below = kept;
  }
}

TEST_CASE("instants are found by time") {
  constexpr std::uint64_t cell_ticks = std::uint64_t{1} << instants::cell_bits;
  Ticks const begin{5000 * cell_ticks}, now{5900 * cell_ticks};
  static PlacedInstants placed;
  placed.begin(begin, std::nullopt);
  CHECK(placed.latest(now) == nullptr);
  placed.place(begin, now);
  for (unsigned level = 0; level <= 3; ++level) {
    std::vector<Cell> kept, visited;
    for (Cell cell = 5001; cell < 5900; ++cell)
      if (instants::is_kept(cell, level)) kept.push_back(cell);
    placed.for_each(begin, now, [&](PlacedInstants::One const& one) {
      visited.push_back(one.cell);
      CHECK(one.at == instants::time_of(one.cell));
    });
    CHECK(visited == kept);
    for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
      Ticks const at = instants::time_of(kept[i]);
      CHECK(instants::cell_at(at) == kept[i]);
      CHECK(placed.latest(at)->cell == kept[i]);
      CHECK(placed.latest_open(at)->cell == kept[i]);
      CHECK(placed.latest(instants::time_of(kept[i + 1]) - Ticks{1})->cell == kept[i]);
      CHECK(placed.find(kept[i])->at == at);
      CHECK(placed.lies_in(at - Ticks{1}, at));
      CHECK_FALSE(placed.lies_in(at, instants::time_of(kept[i + 1]) - Ticks{1}));
    }
    CHECK(instants::is_kept(placed.upcoming().cell, level));
    CHECK(placed.upcoming().cell > kept.back());
    CHECK(placed.are_too_many({(5001 + (instants::most << level)) * cell_ticks}));
    CHECK_FALSE(placed.are_too_many(now));
    placed.halve();
  }
}
