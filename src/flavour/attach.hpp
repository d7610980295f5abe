// The services of the front that opened this flavour: see flavour/services.hpp.
#pragma once

#include <dlfcn.h>

#include "flavour/services.hpp"

namespace commprof {

// nullptr if the profiler is linked into the program statically.
inline front::Services* front_services = nullptr;

// Finds a definition in a library, without the front's inspection of dlsym() calls.
inline void* find_in_library(void* library, char const* symbol) {
  return front_services != nullptr ? front_services->find_in(library, symbol) : dlsym(library, symbol);
}

}  // namespace commprof
