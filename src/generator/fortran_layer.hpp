// Writes the wrappers of the Fortran bindings.
#pragma once

#include <string>

#include "join.hpp"

namespace commprof::generator {

// The definitions of all symbols by which Fortran programs call a function: in each mangling for mpif.h and the module
// mpi, and in mpi_f08.
std::string fortran_wrappers(Function const& function);

}  // namespace commprof::generator
