// Implements the functions of commprof.h by which a program controls the profiler.
#include "commprof/commprof.h"

#include "base/compiler.hpp"
#include "counters/counters.hpp"
#include "run/run.hpp"
#include "version.hpp"

using namespace commprof;

extern "C" {

// In parentheses: the header has macros of these names.
COMMPROF_EXPORT void(commprof_region_begin)(char const* name) { control::begin_region(name); }
COMMPROF_EXPORT void(commprof_region_end)(char const* name) { control::end_region(name); }
COMMPROF_EXPORT int(commprof_flush)(char const* path) { return run::flush(path); }
COMMPROF_EXPORT void(commprof_pause)() {
  if (state.is_tracking()) control::obey(control::Wish::pause, nullptr);
}
COMMPROF_EXPORT void(commprof_resume)() {
  if (state.is_tracking()) control::obey(control::Wish::resume, nullptr);
}
COMMPROF_EXPORT char const* commprof_version() { return version; }
}
