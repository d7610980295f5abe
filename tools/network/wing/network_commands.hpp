// The commands about the network: see commands/commands.hpp.
#pragma once

#include <memory>

#include "commands/command_options.hpp"

namespace mpisee_through {

// Shows the load that messages put on the links of a network.
[[nodiscard]] int run_links(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> links_options();

// Proposes where ranks should run.
[[nodiscard]] int run_place(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> place_options();

}  // namespace mpisee_through
