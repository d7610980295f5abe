// Draws the matrix: a square for each pair of ranks, darker for more data, white for none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "summary/traffic.hpp"

namespace mpisee_through {

// Whether the name has a picture's suffix, .svg.
[[nodiscard]] bool is_picture_name(std::filesystem::path const& file);

// Divides the matrix into a limited number of cells. A cell sums the amounts of all its pairs.
struct HeatMapCells {
  static constexpr std::uint32_t most_per_side = 512;

  HeatMapCells(Traffic const& traffic, Measure measure);

  std::uint32_t ranks_per_cell;  // along each side of a cell
  std::uint32_t side;
  std::vector<std::uint64_t> amounts;  // of cell (from, to) at from * side + to

  [[nodiscard]] std::uint64_t at(std::uint32_t from, std::uint32_t to) const {
    return amounts[std::size_t{from} * side + to];
  }
};

// Places amounts in the palette: logarithmically from the smallest to the largest amount if they differ by large
// factors, else linearly from 0.
class ColourScale {
 public:
  explicit ColourScale(HeatMapCells const& cells);

  [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }
  [[nodiscard]] std::uint64_t smallest() const { return smallest_; }  // smallest amount of the scale
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  [[nodiscard]] double position(std::uint64_t amount) const;  // 0 to 1
  [[nodiscard]] std::uint64_t amount_at(double position) const;

 private:
  bool logarithmic_ = false;
  std::uint64_t smallest_ = 0;
  std::uint64_t largest_ = 0;
};

// Throws OutputError. Leaves out messages to other worlds.
void draw_heat_map(std::filesystem::path const& file, Traffic const& traffic, Measure measure,
                   std::string const& selection);

}  // namespace mpisee_through
