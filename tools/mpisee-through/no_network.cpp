#include "commands/wing.hpp"

namespace mpisee_through {

Wing const& network_wing() {
  static Wing const wing{.missing = {"links", "place"}};
  return wing;
}

}  // namespace mpisee_through
