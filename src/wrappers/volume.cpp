#include "wrappers/volume.hpp"

namespace commprof::volume {

std::uint64_t arrived(MPI_Status const* status) {
  int count = 0;
  PMPI_Get_count(status, MPI_BYTE, &count);
  if (count >= 0) [[likely]] return static_cast<std::uint64_t>(count);
  MPI_Count large = 0;  // 2 GiB or more
  PMPI_Get_elements_x(status, MPI_BYTE, &large);
  return large > 0 ? static_cast<std::uint64_t>(large) : 0;
}

}  // namespace commprof::volume
