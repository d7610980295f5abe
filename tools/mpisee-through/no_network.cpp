#include "commands/commands.hpp"

namespace mpisee_through {

std::vector<NamedCommand> network_commands() { return {}; }

}  // namespace mpisee_through
