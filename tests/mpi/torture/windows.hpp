// One-sided communication: a window, some operations on it in epochs of one kind, and its end.
#pragma once

#include "run.hpp"

namespace torture {

void window(Run& run, Comm& comm);

}  // namespace torture
