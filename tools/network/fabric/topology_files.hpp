// Readers of files about cables: each adds to a Topology. They throw ProfileError for malformed files.
#pragma once

#include <cstdint>

#include "fabric/topology.hpp"

namespace mpisee_through {

// The output of ibnetdiscover.
void read_ibnetdiscover(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

// Reads opensm-subnet.lst and the .lst of ibdiagnet: a line for each cable.
void read_link_list(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

// Reads Slurm's topology.conf: the nodes and switches below each switch.
void read_slurm_topology(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

}  // namespace mpisee_through
