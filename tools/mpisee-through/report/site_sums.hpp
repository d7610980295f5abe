#pragma once

#include <cstddef>
#include <vector>

#include "report/shown_communicators.hpp"
#include "summary/sites.hpp"

namespace mpisee_through {

// The cost of each call site, in total and on each shown communicator.
struct SiteSums {
  struct Part {
    std::size_t line;          // index into lines
    std::size_t communicator;  // index of a shown communicator
    Totals totals;
  };

  std::vector<SiteLine> lines;  // most time first
  std::vector<Part> parts;      // sorted by line, then by communicator
  // Lines beyond the limits.
  std::size_t left_out = 0;
  Totals totals_left_out;

  // False if the profile has no sites: all calls then belong to one unknown site.
  bool are_known = false;
};

// summary: made with cells_of_findings(). max_lines and max_parts limit the result.
[[nodiscard]] SiteSums add_up_sites(Summary const& summary, ShownCommunicators const& communicators,
                                    std::size_t max_lines, std::size_t max_parts);

}  // namespace mpisee_through
