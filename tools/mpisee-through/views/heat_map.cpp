#include "views/heat_map.hpp"

#include <algorithm>
#include <cmath>

namespace mpisee_through {

bool is_picture_name(std::filesystem::path const& file) { return file.extension() == ".svg"; }

HeatMapCells::HeatMapCells(Traffic const& traffic, Measure measure)
    : ranks_per_cell((traffic.run.ranks + most_per_side - 1) / most_per_side),
      side((traffic.run.ranks + ranks_per_cell - 1) / ranks_per_cell),
      amounts(std::size_t{side} * side) {
  for (PairTraffic const& pair : traffic.pairs) {
    if (pair.from == other_world || pair.to == other_world) continue;
    std::size_t const from = static_cast<std::uint32_t>(pair.from) / ranks_per_cell;
    std::size_t const to = static_cast<std::uint32_t>(pair.to) / ranks_per_cell;
    amounts[from * side + to] += pair.amount.of(measure);
  }
}

ColourScale::ColourScale(HeatMapCells const& cells) {
  for (std::uint64_t const amount : cells.amounts) {
    if (amount == 0) continue;
    smallest_ = smallest_ == 0 ? amount : std::min(smallest_, amount);
    largest_ = std::max(largest_, amount);
  }
  constexpr std::uint64_t far_apart = 100;
  logarithmic_ = smallest_ > 0 && largest_ / smallest_ >= far_apart;
  if (!logarithmic_) smallest_ = 0;
}

double ColourScale::position(std::uint64_t amount) const {
  auto const value = static_cast<double>(amount);
  auto const low = static_cast<double>(smallest_);
  auto const high = static_cast<double>(largest_);
  if (largest_ == 0) return 0;
  return logarithmic_ ? std::log(value / low) / std::log(high / low) : value / high;
}

std::uint64_t ColourScale::amount_at(double position) const {
  auto const low = static_cast<double>(smallest_);
  auto const high = static_cast<double>(largest_);
  if (position >= 1) return largest_;
  return static_cast<std::uint64_t>(
      std::llround(logarithmic_ ? low * std::pow(high / low, position) : high * position));
}

}  // namespace mpisee_through
