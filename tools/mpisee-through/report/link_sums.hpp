// What the page shows of the links of a network.
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
  std::vector<LevelLoad> levels;  // none without messages between hosts
  std::vector<Link> busiest;      // most bytes first
  std::size_t left_out = 0;       // links that would be too many
  std::string picture;            // an SVG; empty without messages between hosts
};

// most_links: how many there are at most. Throws ProfileError and SelectionError.
[[nodiscard]] LinkSums add_up_links(Profile const& profile, Selection const& selection, Overview const& overview,
                                    FabricSource const& source, std::size_t most_links);

}  // namespace mpisee_through
