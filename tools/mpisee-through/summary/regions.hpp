#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/region_names.hpp"
#include "summary/efficiency.hpp"
#include "summary/overview.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// The totals of a region without the regions inside it.
struct RegionTotals {
  std::uint64_t ranks = 0;  // that entered it
  std::uint64_t entered = 0;
  double wall_s = 0;      // summed over ranks
  double wall_max_s = 0;  // the rank with the most
  double mpi_s = 0;       // summed over ranks
  Efficiency efficiency;  // of the ranks that entered it

  // Over the ranks that entered it.
  [[nodiscard]] double wall_mean_s() const { return ranks == 0 ? 0 : wall_s / static_cast<double>(ranks); }
  [[nodiscard]] std::optional<double> mpi_share() const {
    return wall_s > 0 ? std::optional(mpi_s / wall_s) : std::nullopt;
  }
};

struct RegionSummary {
  std::string path;   // solve/halo
  std::size_t depth;  // 0 for solve, 1 for solve/halo
  bool selected;      // false: shown only as the parent of a selected one, without totals
  RegionTotals totals;
  double with_inner_s;  // wall_s with those of all selected regions inside

  [[nodiscard]] std::string_view name() const {
    return std::string_view(path).substr(path.rfind(commprof::region_names::separator) + 1);
  }
};

struct Regions : Overview {
  std::vector<RegionSummary> regions;  // each after its parent; siblings by descending with_inner_s
};

// Reads regions.csv to its end. Throws ProfileError and SelectionError.
Regions add_up_regions(Profile const& profile, Selection const& selection);

}  // namespace mpisee_through
