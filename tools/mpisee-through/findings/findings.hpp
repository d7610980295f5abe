// What in a profile costs time and can be changed, in plain words.
//
// A rule looks at the sums of a profile for one kind of problem. What it finds states a fact with the numbers that
// prove it, the command that shows more, and a thing to try; below the rule's thresholds (thresholds.hpp) it is silent.
#pragma once

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
  double weight;                      // how much of the ranks' wall time it is about, 0 to 1
  std::string fact;                   // one or two sentences
  std::string options;                // of mpisee-through, to see more
  std::string advice;                 // a thing to try
  std::vector<Place> places{};        // where the time passes that it explains
  bool has_measured_waiting = false;  // there
};

// What rules look at.
struct Evidence {
  Summary const& summary;   // made with Detail::operations_and_sizes
  Traffic const* messages;  // of the classes p2p and rma; null if the profile has none, or parts of calls are selected
  Waits const& waits;       // empty where waiting is not known
  bool whole_ranks;         // all that the selected ranks did is selected
};

struct Rule {
  std::string_view name;
  std::string condition;  // when it speaks, with its thresholds
  std::vector<Finding> (*find)(Evidence const&);
};
[[nodiscard]] std::span<Rule const> rules();

inline constexpr std::size_t most_findings = 5;

// Of all rules, the weightiest first, no more than most_findings.
[[nodiscard]] std::vector<Finding> find_all(Evidence const& evidence);

}  // namespace mpisee_through
