// Instants of a common clock, derived by each process without a message.
//
// Time is divided into cells. At level L, each block of 2^L cells has one instant: at each level below, a hash chooses
// one of the two halves. So the instants of level L + 1 are half of those of level L. A process begins with level 0 and
// halves its instants when it has 1,024: processes of different levels agree on the instants of the higher level.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/hash.hpp"

namespace commprof::instants {

using Cell = std::uint64_t;

inline constexpr unsigned cell_bits = 19;  // a cell has 2^19 ticks
inline constexpr std::uint64_t most = 1024;

// The cell in a block whose instant is kept at the level.
constexpr Cell chosen(unsigned level, std::uint64_t block) {
  Cell cell = block;
  for (unsigned below = level; below > 0; --below) cell = 2 * cell + (scattered(cell * 64 + below) & 1);
  return cell;
}
constexpr bool is_kept(Cell cell, unsigned level) { return chosen(level, cell >> level) == cell; }

// The instant of a cell lies at a random place in it: a program may have a rhythm.
constexpr Ticks time_of(Cell cell) {
  return {(cell << cell_bits) + (scattered(~cell) & ((std::uint64_t{1} << cell_bits) - 1))};
}
constexpr Cell cell_at(Ticks time) { return time.count >> cell_bits; }

}  // namespace commprof::instants
