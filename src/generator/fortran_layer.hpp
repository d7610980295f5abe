// Writes the wrappers of the Fortran bindings.
#pragma once

#include <string>

#include "join.hpp"

namespace commprof::generator {

// Large counts have no names of their own in Fortran: mpi_f08 distinguishes them by type.
bool has_fortran_form(Function const& function);

// The definitions of all symbols by which Fortran programs call a function: in each mangling for mpif.h and the module
// mpi, and in mpi_f08.
std::string fortran_wrappers(Function const& function);

// The definition of the symbol through which programs with mpi_f08 reach C on MPICH, for functions with a choice
// buffer; empty for others.
std::string fortran_binding(Function const& function);

}  // namespace commprof::generator
