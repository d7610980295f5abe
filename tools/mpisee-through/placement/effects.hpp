// What a placement does to the messages of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placement/costs.hpp"
#include "placement/link_effects.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

struct Effects {
  std::vector<Amount> by_level;  // of pairs whose innermost common place is of that level
  Amount between_hosts;
  double hop_bytes = 0;                  // bytes times the links of the tree on their way
  std::uint64_t most_bytes_leaving = 0;  // one host
  std::string busiest_host;
  double cost = 0;
  std::optional<LinkEffects> links{};  // with --fabric; effects_of() leaves it
};

[[nodiscard]] Effects effects_of(std::vector<PairTraffic> const& pairs, Work const& work, Machine const& machine,
                                 Costs const& costs, Placement const& placement);

// Of one communicator, and its name as it is shown.
struct CommunicatorEffects {
  std::string communicator;
  Amount all;
  Amount today, proposed;  // between hosts
};

// The host of each rank.
using HostOfRank = std::vector<std::uint32_t>;
[[nodiscard]] HostOfRank hosts_of(Machine const& machine, Placement const& placement, std::size_t ranks);

// Reads the messages once more. Descending by bytes.
[[nodiscard]] std::vector<CommunicatorEffects> effects_by_communicator(Profile const& profile,
                                                                       Selection const& selection,
                                                                       HostOfRank const& today,
                                                                       HostOfRank const& proposed);

}  // namespace mpisee_through
