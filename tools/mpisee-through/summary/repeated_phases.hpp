// Finds two phases between which a run changes again and again: computation and output, for example.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "summary/time_windows.hpp"

namespace mpisee_through {

// Phases of values at even distances.
struct Phases {
  std::size_t periods;  // full ones that were seen
  double period;        // in values
  double part;          // of the values that are high
  double high, low;     // their means
};

// Finds nothing unless the phases are plain: two levels that explain most of the scatter, at least four full periods of
// at least four values each, nearly all of one length and with high parts of one length, and as much correlation
// between a value and the one a period later. Neighbours are joined, up to four, if they differ too much. The first and
// the last sixteenth are ignored: programs start and end. least: the smallest difference of levels that is worth
// telling.
[[nodiscard]] std::optional<Phases> find_phases(std::span<double const> values, double least);

// The phases of the job by its share of MPI.
struct RepeatedPhases {
  double period_s;
  double part;  // of the time, with much MPI
  double much, little;
};
[[nodiscard]] std::optional<RepeatedPhases> find_phases(TimeWindows const& all);

// "The run repeats phases of 12.3 s: in 31 % of each the share of MPI is 60.0 %, in the rest 8.0 %."
[[nodiscard]] std::string in_words(RepeatedPhases const& phases);

}  // namespace mpisee_through
