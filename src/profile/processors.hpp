// The processors of this process, and where they are in its host.
#pragma once

#include <string_view>

#include "base/memory.hpp"

namespace commprof {

// What is not known is empty. Numbers are ranges, as in the columns of ranks.csv.
struct Processors {
  std::string_view cpus;     // that the process may run on
  std::string_view package;  // of these, as the system numbers them
  std::string_view numa;     // likewise, the domains of memory
  std::string_view core;     // likewise, from 0 in the host, in the order of package, domain and processor
  std::string_view leaf;     // the switch that the host is connected to, as Slurm calls it
};

// Appends them as one text, which can be kept.
void append_processors(PageVector<char>& text);
// The views are of the text. One with cpus only is of a version that knew no more.
Processors parse_processors(std::string_view text);

// The switch in what Slurm tells of the place of a host, such as "core.leaf3.node17" by the pattern
// "switch.switch.node". Empty if there is none, or no such place.
std::string_view leaf_switch(std::string_view address, std::string_view pattern);

}  // namespace commprof
