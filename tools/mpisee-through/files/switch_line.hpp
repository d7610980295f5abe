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

enum class SwitchLineProblem { unknown_word, no_list, no_name };

// Parses a line without its comment. fail: must throw; gets the faulty word, or the faulty list in it.
[[nodiscard]] SwitchLine parse_switch_line(
    std::string_view text, std::function<void(SwitchLineProblem problem, std::string_view word)> const& fail);

}  // namespace mpisee_through
