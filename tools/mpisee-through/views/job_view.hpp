// Shows a look at a job: the calls of its processes, and what it has done so far.
#pragma once

#include <string>
#include <vector>

#include "recovery/job_windows.hpp"
#include "recovery/recovered_message_waits.hpp"
#include "symbols/code_lines.hpp"
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

}  // namespace mpisee_through
