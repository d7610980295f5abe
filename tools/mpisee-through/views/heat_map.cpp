#include "views/heat_map.hpp"

#include <algorithm>
#include <cmath>

namespace mpisee_through {

bool is_picture_name(std::filesystem::path const& file) {
  return file.extension() == ".svg" || file.extension() == ".png";
}

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

// ColorBrewer's YlGnBu without its two palest classes, which look like white. Its lightness falls evenly, also for
// colour-blind people and in grey.
ColourScale::Colour ColourScale::colour_at(double position) {
  constexpr unsigned classes[] = {0xc7e9b4, 0x7fcdbb, 0x41b6c4, 0x1d91c0, 0x225ea8, 0x253494, 0x081d58};
  constexpr double last = std::size(classes) - 1;
  double const place = std::clamp(position, 0.0, 1.0) * last;
  auto const index = static_cast<std::size_t>(std::min(place, last - 1));
  double const part = place - static_cast<double>(index);
  auto const channel = [&](unsigned shift) {
    auto const of = [&](unsigned colour) { return static_cast<double>(colour >> shift & 0xffU) / 255; };
    return of(classes[index]) * (1 - part) + of(classes[index + 1]) * part;
  };
  return {channel(16), channel(8), channel(0)};
}

ColourScale::Colour ColourScale::colour_of(std::uint64_t amount) const {
  return amount == 0 ? Colour{1, 1, 1} : colour_at(position(amount));
}

}  // namespace mpisee_through
