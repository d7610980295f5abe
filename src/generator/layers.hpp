// What the generator writes: the wrappers of the C binding and of the Fortran bindings, and docs/calls.md.
#pragma once

#include <string>

#include "join.hpp"

namespace commprof::generator {

// The wrapper of a function that has a row and no wrapper written by hand.
std::string c_wrapper(Function const& function);

// The definitions of all symbols by which Fortran programs call a function: in each mangling for mpif.h and the module
// mpi, and in mpi_f08.
std::string fortran_wrappers(Function const& function);

// The whole page in Markdown. Throws std::logic_error for a volume rule without a description.
std::string calls_page();

}  // namespace commprof::generator
