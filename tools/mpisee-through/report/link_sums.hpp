// The sums that the page shows of the links of a network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fabric/links_view.hpp"

namespace mpisee_through {

struct LinkSums {
  struct Link {
    LinkRow row;
    LinkFilling filling;
  };

  std::vector<FabricFact> facts;
  std::vector<LevelLoad> levels;  // empty without messages between hosts
  std::vector<Link> busiest;      // most bytes first
  std::size_t left_out = 0;       // number of links beyond the limit
  std::string picture;            // an SVG; empty without messages between hosts
};

// most_links: limits the busiest links. Throws ProfileError and SelectionError.
[[nodiscard]] LinkSums add_up_links(Profile const& profile, Selection const& selection, Overview const& overview,
                                    FabricSource const& source, std::size_t most_links);

}  // namespace mpisee_through
