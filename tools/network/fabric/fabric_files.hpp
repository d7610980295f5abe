// Reads a fabric from files that administrators have. The content of a file tells its kind:
//
//   cables   ibnetdiscover; opensm-subnet.lst or ibdiagnet's .lst; Slurm's topology.conf
//   tables   dump_fts, dump_lfts.sh, ibroute; opensm-lfts.dump; opensm.fdbs or ibdiagnet's .fdbs
//
// If there are several kinds, the first one in this list is used. Without tables, routes are assumed
// (assumed_routes.hpp).
#pragma once

#include <filesystem>

#include "fabric/fabric.hpp"

namespace mpisee_through {

// path: a directory, or one file. Throws ProfileError.
[[nodiscard]] Fabric read_fabric(std::filesystem::path const& path);

}  // namespace mpisee_through
