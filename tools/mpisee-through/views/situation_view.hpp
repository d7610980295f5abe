// Shows the current calls of a job's processes as text and as JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "recovery/job_windows.hpp"
#include "recovery/recovered_message_waits.hpp"
#include "symbols/code_lines.hpp"
#include "text/terminal.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

// The rate of calls on a communicator between two looks.
struct CommunicatorRate {
  std::string name;
  double calls_per_s = 0, bytes_per_s = 0;
};

// Prints cycles of waits, then a block for each group of ranks; about a page at most.
void print_situation(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal);
void print_rates(std::ostream& out, std::vector<CommunicatorRate> const& rates, Terminal const& terminal);

// The run so far, and whether its last part is as the rest: a line for each.
void print_over_time(std::ostream& out, std::vector<JobWindow> const& windows, Terminal const& terminal);

// What most of the waiting for messages so far is for: a few lines at most.
void print_waits_so_far(std::ostream& out, std::vector<MessageWaitSum> const& waits, Terminal const& terminal);

// Where the processes run, in a few words: "4 ranks, all of them running on this host".
[[nodiscard]] std::string describe_processes(Situation const& situation);

void write_json(std::ostream& out, Situation const& situation, std::vector<CommunicatorRate> const& rates,
                std::vector<JobWindow> const& windows, std::vector<MessageWaitSum> const& waits, CodeLines const& lines,
                std::vector<std::string> const& problems);

}  // namespace mpisee_through
