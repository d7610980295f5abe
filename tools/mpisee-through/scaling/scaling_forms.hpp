// What the page of scaling shares with the forms of scaling_view.hpp.
#pragma once

#include <string>

#include "files/json.hpp"
#include "scaling/scaling_view.hpp"

namespace mpisee_through {

// The tables of text as those of a page: times, efficiencies and their factors; shares of the ranks' wall time; a line
// for each commit and number of ranks.
[[nodiscard]] Json page_table_of_values(ScalingShown const& shown);
[[nodiscard]] Json page_table_of_shares(ScalingShown const& shown);
[[nodiscard]] Json page_table_of(History const& history);

[[nodiscard]] std::string programs_of(Runs const& runs);
// "4 runs on 1 to 8 ranks".
[[nodiscard]] std::string describe_runs(ScalingShown const& shown);
// "16 ranks: 1.200 s, ...".
[[nodiscard]] std::string describe(ExtrapolatedTime const& one);

// "7.900 s / ranks + 100.0 ms, fitted to 4 numbers of ranks", or the reason why there is no law: a sentence without its
// full stop.
[[nodiscard]] std::string describe_law(ScalingShown const& shown);

}  // namespace mpisee_through
