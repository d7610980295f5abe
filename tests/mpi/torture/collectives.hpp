// Collectives of all kinds, blocking and nonblocking, in place or not, on both kinds of communicators.
#pragma once

#include "run.hpp"

namespace torture {

// One collective on a communicator.
void collective(Run& run, Comm& comm);

}  // namespace torture
