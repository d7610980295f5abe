#pragma once

#include <cstddef>
#include <vector>

#include "report/shown_communicators.hpp"
#include "summary/sites.hpp"

namespace mpisee_through {

// What each call site costs, as a whole and on each communicator that is shown.
struct SiteSums {
  struct Part {
    std::size_t line;          // index into lines
    std::size_t communicator;  // its place
    Totals totals;
  };

  std::vector<SiteLine> lines;  // most time first
  std::vector<Part> parts;      // of these lines, ascending by line, then by communicator
  // Lines that would be too many.
  std::size_t left_out = 0;
  Totals totals_left_out;

  // False for a profile without sites: all calls are at one that is not known.
  bool are_known = false;
};

// summary: made with Detail::has_parts. most_lines and most_parts: how many there are at most.
[[nodiscard]] SiteSums add_up_sites(Summary const& summary, ShownCommunicators const& communicators,
                                    std::size_t most_lines, std::size_t most_parts);

}  // namespace mpisee_through
