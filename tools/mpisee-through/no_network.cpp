#include "commands/wing.hpp"

namespace mpisee_through {

Wing network_wing() { return {.missing = {"links", "place"}}; }

}  // namespace mpisee_through
