// Several threads at once, each on a communicator of its own, which complete each other's requests.
#pragma once

#include "run.hpp"

namespace torture {

constexpr std::size_t threads = 3;

void in_threads(Run& run, std::vector<Comm*> const& comms);

}  // namespace torture
