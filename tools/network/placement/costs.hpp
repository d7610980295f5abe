// The traffic between ranks as placement needs it, and what it costs by the innermost place that two ranks share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/names.hpp"
#include "placement/machine.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// What a rank exchanges with another one.
struct Partner {
  std::uint32_t rank;
  Amount sent, received;

  [[nodiscard]] double messages() const { return static_cast<double>(sent.messages + received.messages); }
  [[nodiscard]] double bytes() const { return static_cast<double>(sent.bytes + received.bytes); }
};

class Work {
 public:
  // Leaves out messages to the sender itself and to other worlds.
  Work(std::vector<PairTraffic> const& pairs, std::size_t ranks);

  [[nodiscard]] std::size_t ranks() const { return first_.size() - 1; }
  [[nodiscard]] bool empty() const { return partners_.empty(); }
  // In the order of ranks. Empty for ranks from ranks() on: they stand for empty slots.
  [[nodiscard]] std::span<Partner const> of(std::size_t rank) const {
    if (rank >= ranks()) return {};
    return std::span(partners_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Partner> partners_;
};

enum class PlacementWeight { bytes, messages, time };
inline constexpr Names<PlacementWeight, 3> placement_weights{
    {{{PlacementWeight::bytes, "bytes"}, {PlacementWeight::messages, "messages"}, {PlacementWeight::time, "time"}}}};
[[nodiscard]] constexpr std::string_view name_of(PlacementWeight weight) { return placement_weights.of(weight); }

// One value of --costs. When the weight is bytes or messages, it holds the cost of one of them; when it is time, the
// microseconds of a message and the gigabytes per second.
struct LevelCost {
  std::string level;
  double cost;
  std::optional<double> gigabytes_per_s{};
};
[[nodiscard]] std::optional<LevelCost> parse_level_cost(std::string_view text);

// The slot of each rank. Ranks beyond those of the run stand for empty slots, so that each slot has one.
using Placement = std::vector<SlotIndex>;

class Costs {
 public:
  // The defaults of the weight, for machines with this many levels.
  Costs(PlacementWeight weight, std::size_t levels);

  // False if there is no such level, or if the number of numbers is not that of the weight.
  [[nodiscard]] bool set(LevelCost const& one);

  [[nodiscard]] double of(std::size_t level, Partner const& one) const {
    return one.messages() * per_message_[level] + one.bytes() * per_byte_[level];
  }
  [[nodiscard]] PlacementWeight weight() const { return weight_; }
  [[nodiscard]] std::size_t levels() const { return per_message_.size(); }
  // The cost of one unit of the weight (a byte, a message, …) at this level.
  [[nodiscard]] double per_unit(std::size_t level) const;

 private:
  PlacementWeight weight_;
  std::vector<double> per_message_, per_byte_;
};

[[nodiscard]] double cost_of(Work const& work, Machine const& machine, Costs const& costs, Placement const& placement);

}  // namespace mpisee_through
