// Whether the runs after are slower than a limit allows: for scripts, which fail then.
#pragma once

#include <string>
#include <vector>

#include "comparison/comparison.hpp"

namespace mpisee_through {

// What took longer than the limit allows.
struct Slowdown {
  std::string what;  // "wall time", or a communicator
  Change change;
};

// What is slower by more than the limit. The largest part of the time before is first.
struct Verdict {
  std::vector<Slowdown> slower;
  std::vector<Slowdown> uncertain;  // tested, and not significant
};

enum class Judged { wall_time, communicators };

// limit: a part of the time before. A communicator without calls before has no such part and is not judged.
[[nodiscard]] Verdict judge(Comparison const& comparison, Judged judged, double limit);

// "wall time 10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029; …": the first ones of them, and how many there are more.
[[nodiscard]] std::string describe(std::vector<Slowdown> const& slowdowns);

}  // namespace mpisee_through
