#include "message_waits/instants.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

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
  for (unsigned const level : {0U, 3U, 7U}) {
    std::vector<Cell> kept;
    for (Cell cell = 1000 << 7; cell < 1010 << 7; ++cell)
      if (instants::is_kept(cell, level)) kept.push_back(cell);
    Ticks const begin{(Cell{1000} << 7 << instants::cell_bits)}, end{Cell{1010} << 7 << instants::cell_bits};
    std::vector<Cell> visited;
    instants::for_each(level, begin - Ticks{1}, end - Ticks{1}, [&](Cell cell) { visited.push_back(cell); });
    CHECK(visited == kept);
    for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
      Ticks const at = instants::time_of(kept[i]);
      CHECK(instants::cell_at(at) == kept[i]);
      CHECK(instants::latest(level, at) == kept[i]);
      CHECK(instants::next(level, at) == kept[i + 1]);
      CHECK(instants::next(level, at - Ticks{1}) == kept[i]);
      CHECK(instants::latest(level, instants::time_of(kept[i + 1]) - Ticks{1}) == kept[i]);
    }
  }
}
