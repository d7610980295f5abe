#pragma once

#include <string>
#include <vector>

#include "reader/profile_reader.hpp"
#include "summary/selection.hpp"
#include "table/document.hpp"

namespace mpisee_through {

// The selected messages from rank to rank as a map: of all of them, of each class, and of each of these communicators.
// However many ranks there are, the map has a bounded number of cells: neighbouring ranks share one. Throws as
// group_messages() does.
[[nodiscard]] table::Table pair_map(Profile const& profile, Selection const& selection,
                                    std::vector<std::string> const& communicators);

}  // namespace mpisee_through
