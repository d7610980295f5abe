// The placements that launchers make without being asked for another one: of each rank, the index of its host.
#pragma once

#include <cstddef>
#include <vector>

namespace mpisee_through {

// Fills one host after the other. room: the number of ranks on each host.
[[nodiscard]] inline std::vector<std::size_t> dealt_in_blocks(std::vector<std::size_t> const& room) {
  std::vector<std::size_t> hosts;
  for (std::size_t host = 0; host < room.size(); ++host) hosts.insert(hosts.end(), room[host], host);
  return hosts;
}

// Deals ranks to the hosts in turn, leaving out those that are full.
[[nodiscard]] inline std::vector<std::size_t> dealt_in_turn(std::vector<std::size_t> const& room) {
  std::vector<std::size_t> hosts;
  for (std::size_t round = 0, before = 1; before != hosts.size(); ++round) {
    before = hosts.size();
    for (std::size_t host = 0; host < room.size(); ++host)
      if (round < room[host]) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace mpisee_through
