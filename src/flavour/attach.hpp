// What a flavour has of the front that opened it: see front/services.hpp.
#pragma once

#include "front/services.hpp"

namespace commprof {

// nullptr in a program that the profiler is linked into statically.
inline front::Services* front_services = nullptr;

}  // namespace commprof
