// Redirects calls of MPI that would bypass the front. These come from objects that search their own dependencies first
// (RTLD_DEEPBIND, with which Julia opens its packages), and from objects loaded before the front, if it was loaded
// late.
//
// Symbol interposition does not reach these objects. But a program that opens an object usually calls dlsym() next. So
// the front's dlsym() looks for new objects and redirects their slots to its entry points. dlopen() is not interposed,
// because its result depends on its caller.
#pragma once

#include "front/loaded_object.hpp"

namespace commprof::front {

// Redirects the calls of all objects that were loaded since the last call of this function, and clears their weak
// references to absent functions (absent.hpp). Without new objects it only compares counts.
void redirect_late_objects();

}  // namespace commprof::front
