#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// A line of Slurm's topology.conf: SwitchName=leaf1 Nodes=node[01-16], or SwitchName=spine Switches=leaf[1-4].
struct SwitchLine {
  struct Below {
    std::string name;
    bool is_switch;
  };
  std::string name;
  std::vector<Below> below;  // in the order of the line
};

// Parses a line without its comment. fail: must throw; gets what is wrong with the line.
[[nodiscard]] SwitchLine parse_switch_line(std::string_view text,
                                           std::function<void(std::string const& problem)> const& fail);

}  // namespace mpisee_through
