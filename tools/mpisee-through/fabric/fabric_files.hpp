// A fabric from what administrators have. Files are told by their content:
//
//   cables   ibnetdiscover; opensm-subnet.lst or ibdiagnet's .lst; Slurm's topology.conf
//   tables   dump_fts, dump_lfts.sh, ibroute; opensm-lfts.dump; opensm.fdbs or ibdiagnet's .fdbs
//
// If there are several kinds, the first one counts. Without tables, routes are assumed (assumed_routes.hpp).
#pragma once

#include <filesystem>

#include "fabric/fabric.hpp"

namespace mpisee_through {

// path: a directory, or one file. Throws ProfileError.
[[nodiscard]] Fabric read_fabric(std::filesystem::path const& path);

}  // namespace mpisee_through
