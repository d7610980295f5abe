// The forms that views.hpp chooses from, one source file each.
#pragma once

#include "views/views.hpp"

namespace mpisee_through {

// Which program ran, how long, with how much of MPI, and what the profile leaves out.
void print_head(std::ostream& out, Summary const& summary);

// A block for each communicator, with a line for each operation, or each size of it.
void print_communicators(std::ostream& out, Summary const& summary, Arrangement const& arrangement);

// A line for each communicator, below its parent.
void print_tree(std::ostream& out, Summary const& summary, Arrangement const& arrangement);

void write_csv(std::ostream& out, Summary const& summary, View view, Arrangement const& arrangement);
void write_json(std::ostream& out, Summary const& summary, View view, Arrangement const& arrangement);

// What made a communicator, and what it is now: Comm_split, cart 2x2 periods 10, "rows", freed.
[[nodiscard]] std::string describe_origin(CommunicatorSummary const& communicator);

// Ranges of ranks that fit into a line: the first ones and the last.
[[nodiscard]] std::string shorten_members(std::string_view members);

}  // namespace mpisee_through
