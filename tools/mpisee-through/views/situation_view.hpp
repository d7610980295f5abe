// Shows the current calls of a job's processes in sentences.
#pragma once

#include <ostream>
#include <string>

#include "symbols/code_lines.hpp"
#include "text/terminal.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

// Prints what keeps processes from going on, and a block for each group of ranks; about a page at most.
void print_obstacles(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal);
void print_groups(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal);

// Where the processes run, in a few words: "4 ranks, all of them running on this host".
[[nodiscard]] std::string describe_processes(Situation const& situation);

}  // namespace mpisee_through
