// The interface of a library that adds commands to the reader. tools/network is such a library; it can be left out of
// the build, with the libraries that it needs.
#pragma once

#include <string_view>
#include <vector>

#include "commands/commands.hpp"

namespace mpisee_through {

struct Wing {
  std::vector<Command> commands{};          // in the order of --help, after those of the reader
  std::vector<std::string_view> missing{};  // commands that this build lacks
};

// Links and placement: from tools/network, or an empty wing from no_network.cpp.
[[nodiscard]] Wing const& network_wing();

}  // namespace mpisee_through
