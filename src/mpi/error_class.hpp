// The class of an error code: codes may differ between processes, classes do not.
#pragma once

#include "mpi/mpi.hpp"

namespace commprof {

inline int error_class_of(int error) {
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(error, &error_class);
  return error_class;
}

}  // namespace commprof
