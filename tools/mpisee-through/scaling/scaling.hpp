// Runs of one program on different numbers of ranks: how well it uses more of them, in the terms of the POP
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

namespace mpisee_through {

// Strong scaling: all ranks together compute the same; weak scaling: each rank computes the same.
enum class ScalingKind { strong, weak };

// Of the ranks' wall time, waiting for processors: from there on the machine is measured rather than the program.
inline constexpr double crowded_share = 0.1;

// The efficiencies and their factors, 0 to 1, computation scalability also above. One is the product of the two that
// follow with one depth more.
struct Factor {
  std::string_view name;      // for people
  std::string_view quantity;  // for programs
  std::size_t depth;
};
enum class FactorIndex : std::size_t {
  global,
  parallel,
  load_balance,
  communication,
  serialisation,
  transfer,
  computation
};
inline constexpr std::array<Factor, 7> factors{{
    {"Global efficiency", "global_efficiency", 0},
    {"Parallel efficiency", "parallel_efficiency", 1},
    {"Load balance", "load_balance", 2},
    {"Communication efficiency", "communication_efficiency", 2},
    {"Serialisation, at most", "serialisation_efficiency", 3},
    {"Transfer, at least", "transfer_efficiency", 3},
    {"Computation scalability", "computation_scalability", 1},
}};

// The runs on one number of ranks. All values are medians over them.
struct ScalingPoint {
  std::uint32_t ranks = 0;
  RunGroup runs;
  std::uint64_t hosts = 0;        // the most of a run
  Distribution wall_s{};          // of the slowest rank
  std::vector<double> walls_s{};  // of each run
  double useful_s = 0;            // time outside MPI, summed over ranks
  double queued_share = 0;        // of the ranks' wall time, waiting for a processor
  double mpi_share = 0;           // the same, in MPI
  // The work done in a second, in terms of that with the fewest ranks, and the part of what as many more ranks could
  // do: if each of the two kinds is the right one.
  struct Gain {
    double speed_up = 1;
    double of_ideal = 1;
  };
  std::array<Gain, 2> gains{};
  std::array<std::optional<double>, factors.size()> values{};
  // By family: the part of the ranks' wall time in calls on them.
  std::map<std::string, double> communicator_shares;

  [[nodiscard]] Gain const& gain(ScalingKind kind) const { return gains[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::optional<double> value(FactorIndex factor) const {
    return values[static_cast<std::size_t>(factor)];
  }
};

struct Scaling {
  std::optional<ScalingKind> kind = ScalingKind::strong;  // nothing if the signs disagree
  // By which power of the ranks the time outside MPI grows, summed over ranks and without what they wait for
  // processors: 0 for strong scaling, 1 for weak. Nothing for one number of ranks, and if there is no such time.
  std::optional<double> growth;
  double wall_factor = 1;            // the wall time on most ranks in terms of that on the fewest
  bool is_told = true;               // by these signs, not by the user
  std::vector<ScalingPoint> points;  // ascending by ranks
  std::vector<std::string> notices;  // what to bear in mind, each a sentence

  [[nodiscard]] ScalingPoint const& first() const { return points.front(); }
  [[nodiscard]] ScalingPoint const& last() const { return points.back(); }
};

// Whether the run has all its ranks and took time.
[[nodiscard]] bool tells_of_scaling(Overview const& head);

// kind: what the user says. At least one run. Runs that lack ranks or took no time are left out; throws SelectionError
// if none is left.
[[nodiscard]] Scaling scaling_of(Runs const& runs, std::optional<ScalingKind> kind);

// The name without what depends on the number of ranks: "W_s2.*" for W_s2.0, W_s2.4 ..., which one call has made.
[[nodiscard]] std::string family_of(std::string_view communicator);

// The families with most time on most ranks, at any number of ranks.
[[nodiscard]] std::vector<std::string> families_by_time(Scaling const& scaling, std::optional<std::size_t> top);

// "strong", "weak", or "unclear" for nothing.
[[nodiscard]] std::string_view name_of(std::optional<ScalingKind> kind);

// "strong scaling, told by ...", for people.
[[nodiscard]] std::string describe_kind(Scaling const& scaling);

}  // namespace mpisee_through
