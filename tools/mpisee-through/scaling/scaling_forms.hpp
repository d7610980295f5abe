// Functions shared by the forms of scaling_view.hpp and the page.
#pragma once

#include <string>

#include "scaling/scaling_view.hpp"
#include "table/forms.hpp"

namespace mpisee_through {

// Tables with a column for each number of ranks: times, efficiencies and their factors; shares of the ranks' wall time.
[[nodiscard]] table::TextCells table_of_values(ScalingShown const& shown);
[[nodiscard]] table::TextCells table_of_shares(ScalingShown const& shown);
// A line for each commit and number of ranks. The first two columns are text.
[[nodiscard]] table::TextCells table_of_history(History const& history);

[[nodiscard]] std::string programs_of(Runs const& runs);
// "4 runs on 1 to 8 ranks".
[[nodiscard]] std::string describe_runs(ScalingShown const& shown);
// "16 ranks: 1.200 s, ...".
[[nodiscard]] std::string describe(ExtrapolatedTime const& one);

// "7.900 s / ranks + 100.0 ms, fitted to 4 numbers of ranks", or the reason why there is no law: a sentence without its
// full stop.
[[nodiscard]] std::string describe_law(ScalingShown const& shown);

// The first digits of a commit's hash.
[[nodiscard]] std::string short_commit(std::string const& commit);

}  // namespace mpisee_through
