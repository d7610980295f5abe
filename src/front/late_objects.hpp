// Calls of MPI that would go past the front: of objects that look into their own libraries first (RTLD_DEEPBIND), as
// Julia opens its packages, and of those that were loaded before a front that was loaded late.
//
// The dynamic linker asks nobody when it binds such an object. But whoever opens one looks something up in it next, so
// the front's dlsym() looks for objects that are new, and leads their slots to its own entry points. dlopen() itself is
// left alone: it goes by where it is called from, and a stand-in would change what it finds.
#pragma once

#include "front/loaded_object.hpp"

namespace commprof::front {

// Has the calls of all objects that were loaded since the last time come by the front. Costs next to nothing if none
// was.
void redirect_late_objects();

}  // namespace commprof::front
