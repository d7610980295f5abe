// The forms that scaling_view.hpp chooses from, and what they share with the page.
#pragma once

#include <string>

#include "scaling/scaling_view.hpp"

namespace mpisee_through {

void print_scaling(std::ostream& out, ScalingShown const& shown);
void write_scaling_csv(std::ostream& out, ScalingShown const& shown);
void write_scaling_json(std::ostream& out, ScalingShown const& shown);

void print_history(std::ostream& out, History const& history);
void write_history_csv(std::ostream& out, History const& history);
void write_history_json(std::ostream& out, History const& history);

// Lines of cells, the first one of titles.
using TextTable = std::vector<std::vector<std::string>>;

// A column for each number of ranks: times, efficiencies and their factors; parts of the ranks' wall time.
[[nodiscard]] TextTable table_of_values(Scaling const& scaling);
[[nodiscard]] TextTable table_of_shares(ScalingShown const& shown);
// A line for each commit and number of ranks. The first two columns are text.
[[nodiscard]] TextTable table_of_history(History const& history);

[[nodiscard]] std::string programs_of(Runs const& runs);
// "4 runs on 1 to 8 ranks".
[[nodiscard]] std::string describe_runs(ScalingShown const& shown);
// "16 ranks: 1.200 s, ...".
[[nodiscard]] std::string describe(ExtrapolatedTime const& one);

// "7.900 s / ranks + 100.0 ms, fitted to 4 numbers of ranks", or why there is none: a sentence without its end.
[[nodiscard]] std::string describe_law(ScalingShown const& shown);

// The first digits of a hash.
[[nodiscard]] std::string short_commit(std::string const& commit);

}  // namespace mpisee_through
