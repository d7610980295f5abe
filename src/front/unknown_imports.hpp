// Finds the functions of MPI that objects of this process import and the flavour does not see.
#pragma once

namespace commprof::front {

// See for_each_unknown_import in flavour/services.hpp.
void for_each_unknown_import(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                             void* context);

}  // namespace commprof::front
