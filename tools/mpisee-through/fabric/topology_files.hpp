// Files about cables, each read into a Topology. Throw ProfileError for what they cannot be.
#pragma once

#include <cstdint>

#include "fabric/topology.hpp"

namespace mpisee_through {

// The output of ibnetdiscover.
void read_ibnetdiscover(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

// opensm-subnet.lst, and the .lst of ibdiagnet: a line for each cable.
void read_link_list(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

// Slurm's topology.conf: which nodes and switches are below which switch.
void read_slurm_topology(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

}  // namespace mpisee_through
