// Findings: what costs time in a profile and can be changed, in plain words.
//
// A rule searches the sums of a profile for one kind of problem. A finding states a fact with the numbers that prove
// it, the command that shows more, and a thing to try. Below its thresholds (thresholds.hpp) a rule finds nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"
#include "summary/traffic.hpp"
#include "summary/waits.hpp"

namespace mpisee_through {

// An operation on a communicator.
struct Place {
  CommunicatorIndex communicator;
  OperationIndex operation;

  bool operator==(Place const&) const = default;
};

struct Finding {
  std::string_view rule;
  double weight;                            // the share of the ranks' wall time that it concerns, 0 to 1
  std::string fact;                         // one or two sentences
  std::string options;                      // of mpisee-through, to see more
  std::string advice;                       // a thing to try
  std::vector<Place> places{};              // the operations whose time it explains
  bool has_measured_waiting = false;        // in the first of them
  std::vector<std::uint32_t> late_ranks{};  // that others wait for, ascending
  std::vector<Finding> consequences{};      // findings that this one explains
};

// The input of the rules.
struct Evidence {
  Summary const& summary;  // made with Detail::has_parts
  // Those of the classes p2p and rma, which are read at the first call; empty if the profile has none, or parts of
  // calls are selected.
  std::function<MessageSums const&()> messages;
  // What the profile says of all of them; null if parts are selected, or if the rows of messages tell more.
  Run::Messages const* known_messages;
  Waits const& waits;  // empty if waiting is unknown
  bool whole_ranks;    // all that the selected ranks did is selected
};

// The order of explanation: a finding may explain those of later levels.
enum class Level { processors, uneven_work, waiting, many_calls, long_operation };

struct Rule {
  std::string_view name;
  Level level;
  bool tells_from_times;  // of calls alone: silent where waiting for processors explains them
  std::string condition;  // of a finding, with the thresholds
  std::vector<Finding> (*find)(Evidence const&);
};
[[nodiscard]] std::span<Rule const> rules();

inline constexpr std::size_t most_findings = 5;

// The findings of all rules, at most most_findings, descending by weight; ranks that wait for processors
// come before what that may explain. What else a finding explains is among its consequences.
[[nodiscard]] std::vector<Finding> find_all(Evidence const& evidence);

}  // namespace mpisee_through
