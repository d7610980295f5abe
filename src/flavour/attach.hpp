// What a flavour has of the front that opened it: see flavour/services.hpp.
#pragma once

#include <dlfcn.h>

#include "flavour/services.hpp"

namespace commprof {

// nullptr in a program that the profiler is linked into statically.
inline front::Services* front_services = nullptr;

// A definition in a library, by a handle of it. The front looks at what dlsym() is asked for, and is not to look at
// this.
inline void* find_in_library(void* library, char const* symbol) {
  return front_services != nullptr ? front_services->find_in(library, symbol) : dlsym(library, symbol);
}

}  // namespace commprof
