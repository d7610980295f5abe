// What a placement does to the messages of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placement/costs.hpp"
#include "placement/network.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

struct Effects {
  std::vector<Amount> by_level;  // by level of the innermost place that both ranks of a pair share
  Amount between_hosts;
  double hop_bytes = 0;                  // each byte times the links of the tree that it passes
  std::uint64_t most_bytes_leaving = 0;  // bytes that leave the host which sends most
  std::string busiest_host;
  double cost = 0;
  std::optional<LinkEffects> links{};  // with --fabric; effects_of() leaves it
};

[[nodiscard]] Effects effects_of(Work const& work, Machine const& machine, Costs const& costs,
                                 Placement const& placement);

// Messages of one communicator between hosts; the name is as the terminal shows it.
struct CommunicatorEffects {
  std::string communicator;
  Amount all;
  Amount today, proposed;  // messages between hosts
};

// The host of each rank.
using HostOfRank = std::vector<std::uint32_t>;
[[nodiscard]] HostOfRank hosts_of(Machine const& machine, Placement const& placement, std::size_t ranks);

// Reads the messages once more. Communicators come in descending order of bytes.
[[nodiscard]] std::vector<CommunicatorEffects> effects_by_communicator(Profile const& profile,
                                                                       Selection const& selection,
                                                                       HostOfRank const& today,
                                                                       HostOfRank const& proposed);

}  // namespace mpisee_through
