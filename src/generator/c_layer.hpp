// Writes the wrappers of the C binding.
#pragma once

#include <string>

#include "join.hpp"

namespace commprof::generator {

// The wrapper of a function that has a row and no wrapper written by hand.
std::string c_wrapper(Function const& function);

}  // namespace commprof::generator
