// Looks for the placement whose messages cost least or, with the links of a network, whose busiest link carries least.
// The present placement, blocks, round robin and those that Scotch proposes are judged as they are and after swaps of
// two ranks. So the result is never worse than any of these.
#pragma once

#include <optional>

#include "placement/effects.hpp"

namespace mpisee_through {

struct SearchInput {
  Work const& work;
  Machine const& machine;
  Measure weight;
  std::optional<Placement> now{};      // only if the machine is that of the run
  FabricHosts const* hosts = nullptr;  // of the machine; null: costs alone count
};

[[nodiscard]] Placement search_placement(SearchInput const& input);

// Scotch's mapping for this seed. If Scotch puts several ranks on a slot, all but one move to a free slot near it.
// Nothing if Scotch fails.
[[nodiscard]] std::optional<Placement> map_by_scotch(SearchInput const& input, int seed);

}  // namespace mpisee_through
