// Decides whether the runs after are slower than a limit allows; scripts then fail.
#pragma once

#include <string>
#include <vector>

#include "comparison/comparison.hpp"

namespace mpisee_through {

// An amount that grew by more than the limit.
struct Slowdown {
  std::string what;  // "wall time", or a communicator
  Change change;
};

// What grew by more than the limit, sorted descending by its share of the time before.
struct Verdict {
  std::vector<Slowdown> slower;
  std::vector<Slowdown> uncertain;  // tested, but not significant
};

enum class Judged { wall_time, communicators };

// limit: a share of the time before. A communicator without calls before is not judged.
[[nodiscard]] Verdict judge(Comparison const& comparison, Judged judged, double limit);

// The first slowdowns, and the number of the others: "wall time 10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029; …".
[[nodiscard]] std::string describe(std::vector<Slowdown> const& slowdowns);

}  // namespace mpisee_through
