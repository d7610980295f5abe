// Shows a look at a job: the calls of its processes, and what it has done so far.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "recovery/joined.hpp"
#include "symbols/site_names.hpp"
#include "table/document.hpp"
#include "text/terminal.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

// The rate of calls on a communicator between two looks.
struct CommunicatorRate {
  std::string name;
  double calls_per_s = 0, bytes_per_s = 0;
};

struct JobShown {
  Situation const& situation;
  std::vector<CommunicatorRate> const& rates;
  std::vector<JobWindow> const& windows;
  std::vector<MessageWaitSum> const& waits;
  CodeLines const& lines;
  std::vector<std::string> const& problems;  // of files, in words
};

// For people about a page. JSON has all that is known, CSV a line for each group of ranks.
[[nodiscard]] Document job(JobShown const& shown, Terminal const& terminal);

// Prints what keeps processes from going on, and a block for each group of ranks; about a page at most.
void print_obstacles(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal);
void print_groups(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal);

// Where the processes run, in a few words: "4 ranks, all of them running on this host".
[[nodiscard]] std::string describe_processes(Situation const& situation);

}  // namespace mpisee_through
