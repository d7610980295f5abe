#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/regions.hpp"
#include "summary/arrangement.hpp"
#include "summary/overview.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// Whether the times of a region include those of the regions inside it. The terms are those of Score-P and TAU.
enum class RegionTimes { inclusive, exclusive };

// The totals of a region over the ranks that entered it.
struct RegionTotals {
  std::uint64_t ranks = 0;  // number of ranks that entered it
  std::uint64_t entered = 0;
  double wall_s = 0;      // summed over ranks
  double wall_max_s = 0;  // of the rank with the most
  double mpi_s = 0;       // summed over ranks
  // Outside MPI, with and without a processor, summed over ranks; nothing if it is not known of all.
  std::optional<double> work_s = 0, without_processor_s = 0;
  double threads_wall_s = 0;  // summed over the threads of these ranks that call MPI
  Efficiency efficiency;      // over the ranks that entered it

  // The mean over the ranks that entered it.
  [[nodiscard]] double wall_mean_s() const { return ranks == 0 ? 0 : wall_s / static_cast<double>(ranks); }
  [[nodiscard]] std::optional<double> mpi_share() const { return share_of(mpi_s, threads_wall_s); }
};

struct RegionSummary {
  std::string path;   // solve/halo
  std::size_t depth;  // 0 for solve, 1 for solve/halo
  bool selected;      // false: shown only as the parent of a selected one, without totals
  RegionTotals exclusive;
  RegionTotals inclusive;  // includes all regions inside, selected or not; `entered` counts the region alone

  [[nodiscard]] RegionTotals const& totals(RegionTimes times) const {
    return times == RegionTimes::inclusive ? inclusive : exclusive;
  }
  [[nodiscard]] std::string_view name() const {
    return std::string_view(path).substr(path.rfind(commprof::region_names::separator) + 1);
  }
};

// solve for solve/halo; empty for solve.
[[nodiscard]] inline std::string parent_of_region(std::string const& path) {
  std::size_t const slash = path.rfind(commprof::region_names::separator);
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Reads regions.csv to its end: the selected regions and those that contain them, ascending by path, so each after its
// parent. Memory grows with regions times ranks: inclusive times are added up for each rank. overview: of the profile
// and the selection. Throws ProfileError and SelectionError.
[[nodiscard]] std::vector<RegionSummary> list_regions(Profile const& profile, Selection const& selection,
                                                      Overview const& overview);

}  // namespace mpisee_through
