// Measures how well a program uses more ranks, from runs on different numbers of ranks, in the terms of the POP
// methodology.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"
#include "table/document.hpp"

namespace mpisee_through {

// Strong scaling: the total work stays the same. Weak scaling: the work of each rank stays the same.
enum class ScalingKind { strong, weak };

// The efficiencies and their factors: 0 to 1; computation scalability may exceed 1. A factor is the product of the next
// two that are one level deeper.
struct Factor {
  std::string_view name;      // for people
  std::string_view quantity;  // for programs
  std::size_t depth;
};
enum class FactorIndex : std::size_t { global, parallel, load_balance, communication, computation };
inline constexpr std::array<Factor, 5> factors{{
    {"Global efficiency", "global_efficiency", 0},
    {"Parallel efficiency", "parallel_efficiency", 1},
    {"Load balance", "load_balance", 2},
    {"Communication efficiency", "communication_efficiency", 2},
    {"Computation scalability", "computation_scalability", 1},
}};

// The runs on one number of ranks. All values are medians over these runs.
struct ScalingPoint {
  std::uint32_t ranks = 0;
  RunGroup runs;
  std::uint64_t hosts = 0;        // of the run with the most hosts
  Distribution wall_s{};          // of the slowest rank
  std::vector<double> walls_s{};  // of each run
  double useful_s = 0;            // time outside MPI, summed over ranks
  // Waiting for a processor, as a share of the ranks' wall time; where the system does not count it, as far as ranks
  // that share processors had none.
  double queued_share = 0;
  std::optional<double> cpu_s{};  // processor time, summed over ranks; nothing if it is not known for all
  double mpi_share = 0;           // time in MPI, as a share of the ranks' wall time
  // Speed-up and efficiency relative to the fewest ranks, under the assumption that scaling is of one kind.
  struct Gain {
    double speed_up = 1;
    double of_ideal = 1;
  };
  std::array<Gain, 2> gains{};
  std::array<std::optional<double>, factors.size()> values{};
  // By family: the share of the ranks' wall time in calls on these communicators.
  std::map<std::string, double> communicator_shares;

  [[nodiscard]] Gain const& gain(ScalingKind kind) const { return gains[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::optional<double> value(FactorIndex factor) const {
    return values[static_cast<std::size_t>(factor)];
  }
};

struct Scaling {
  std::optional<ScalingKind> kind = ScalingKind::strong;  // nothing if the signs disagree
  // The exponent by which the time outside MPI grows with the ranks, summed over ranks and without waiting for
  // processors: 0 for strong scaling, 1 for weak. Nothing if there is only one number of ranks, or no time outside MPI.
  std::optional<double> growth;
  std::optional<double> cpu_growth;  // that of the processor time; nothing if it is not known
  bool same_arguments = false;       // of the first runs on the fewest and on the most ranks
  double wall_factor = 1;            // wall time on the most ranks over that on the fewest
  bool is_told = true;               // the signs decided the kind, not the user
  std::vector<ScalingPoint> points;  // ascending by ranks
  std::vector<std::string> notices;  // warnings, a sentence each

  [[nodiscard]] ScalingPoint const& first() const { return points.front(); }
  [[nodiscard]] ScalingPoint const& last() const { return points.back(); }
};

// Whether the run has all its ranks and took time.
[[nodiscard]] bool tells_of_scaling(Overview const& head);

// kind: given by the user, if so. Needs at least one run. Leaves out runs that lack ranks or took no time; throws
// SelectionError if no run remains.
[[nodiscard]] Scaling scaling_of(Runs const& runs, std::optional<ScalingKind> kind);

// The families, sorted by their time on the most ranks. Includes families that occur only on fewer ranks.
[[nodiscard]] std::vector<std::string> families_by_time(Scaling const& scaling, std::optional<std::size_t> top);

// The runs of one program, and their results.
struct ScalingShown {
  Runs const& runs;
  Scaling const& scaling;
  std::string region{};              // region measured; empty for whole runs
  std::optional<std::size_t> top{};  // number of families of communicators
};

[[nodiscard]] Document scaling(ScalingShown const& shown);

// "strong", "weak", or "unclear" if kind is empty.
[[nodiscard]] std::string_view name_of(std::optional<ScalingKind> kind);

// For people: "strong scaling, told by ...".
[[nodiscard]] std::string describe_kind(Scaling const& scaling);

}  // namespace mpisee_through
