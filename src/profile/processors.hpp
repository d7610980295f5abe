// Finds the processors of this process, and their places in the host.
#pragma once

#include <string_view>

#include "base/memory.hpp"

namespace commprof {

// Unknown members are empty. Numbers are ranges, as in ranks.csv.
struct Processors {
  std::string_view cpus;     // processors that the process may run on
  std::string_view package;  // their packages, numbered by the system
  std::string_view numa;     // their NUMA domains, numbered by the system
  std::string_view core;  // their cores, numbered within the host from 0, in the order of package, domain and processor
  std::string_view leaf;  // the switch that the host is connected to, by Slurm's name
};

// Appends all members as one text that can be stored.
void append_processors(PageVector<char>& text);
// Parses this text; the result points into it. An older version wrote only `cpus`.
Processors parse_processors(std::string_view text);

// The lowest switch in Slurm's position of a host: leaf3 for "core.leaf3.node17" with the pattern "switch.switch.node".
// Empty if there is no switch or the texts do not fit each other.
std::string_view leaf_switch(std::string_view address, std::string_view pattern);

}  // namespace commprof
