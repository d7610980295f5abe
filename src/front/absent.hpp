// Clears weak references to functions of MPI that no library defines.
//
// Programs and libraries that work with and without MPI refer to MPI_Init weakly and test its address. The dynamic
// linker binds the reference to the front's entry point, although it would find nothing without the front. So these
// slots are set to zero.
#pragma once

#include "front/loaded_object.hpp"

namespace commprof::front {

// Clears weak references to entry points that only the front defines, in all objects that are loaded when the front is
// initialised.
void clear_references_to_absent();

// Whether an object that refers weakly to an entry point finds no definition other than the front's.
bool is_absent_for(LoadedObject const& object, std::size_t number);

}  // namespace commprof::front
