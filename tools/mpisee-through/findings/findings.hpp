// Findings: what costs time in a profile and can be changed, in plain words.
//
// A rule searches the sums of a profile for one kind of problem. A finding states a fact with the numbers that prove
// it, the command that shows more, and a thing to try. Below its thresholds (thresholds.hpp) a rule finds nothing.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"
#include "summary/time_windows.hpp"
#include "summary/traffic.hpp"
#include "summary/waits.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

// An operation on a communicator.
struct CommOperation {
  CommunicatorIndex communicator;
  OperationIndex operation;

  auto operator<=>(CommOperation const&) const = default;
};

struct Finding {
  std::string_view rule;
  double weight;                            // the share of the ranks' wall time that the finding concerns, 0 to 1
  std::string fact;                         // one or two sentences
  std::string options;                      // options of mpisee-through that show more
  std::string advice;                       // a thing to try
  std::vector<CommOperation> places{};      // the operations whose time it explains
  std::string family{};                     // what the communicators of the places are; empty for a single one
  bool has_measured_waiting = false;        // of the first place
  std::vector<std::uint32_t> late_ranks{};  // ranks that others wait for, ascending
  bool are_mostly_late = true;              // false: others cause as much
  double delay = 0;                         // the share of the wall time for which all would wait for the late ranks
  std::vector<Finding> consequences{};      // findings that this one explains, or may explain
  std::string note{};                       // a sentence below it; may be empty
  bool only_may_follow = false;             // of a consequence: it may have other causes, too

  [[nodiscard]] double weight_with_consequences() const;  // the largest one
};

// The input of the rules.
struct Evidence {
  Summary const& summary;  // made with cells_of_findings()
  // Messages of the classes p2p and rma, read at the first call. Empty if the profile has none, or if parts of calls
  // are selected.
  std::function<MessageSums const&()> messages;
  Waits const& waits;                                   // empty if waiting is unknown
  std::function<std::vector<Cause> const&()> causes{};  // of the waiting, read at the first call; empty like messages
  bool whole_ranks;                                     // all calls of the selected ranks are selected
  TimeWindows const* windows = nullptr;                 // null if the profile has none, or if parts of it are selected
  CodeLines const* lines = nullptr;  // the places of calls that did not end; null: they are not looked up
};

// In order of explanation: a finding may explain findings of later levels.
enum class Level { stuck, processors, change, uneven_work, waiting, many_calls, long_operation };

struct Rule {
  std::string_view name;
  Level level;
  bool tells_from_times;  // uses only the times of calls: which waiting for processors may explain
  bool joins_families;    // looks at each communicator, and at all of a family together
  // What the run is bound by, as words of the verdict. {} stands for the operation and its communicator. Empty if a
  // finding does not say that.
  std::string_view bound_by;
  std::string condition;  // of a finding, including the thresholds
  std::vector<Finding> (*find)(Evidence const&);
};
[[nodiscard]] std::span<Rule const> rules();

inline constexpr std::size_t most_findings = 5;

// The findings of all rules, at most most_findings, descending by weight. Ranks that wait for processors precede what
// that may explain. Findings that another one explains, or may explain, are its consequences.
[[nodiscard]] std::vector<Finding> find_all(Evidence const& evidence);

// The first clause of the fact, as a sentence: for a consequence that only may follow.
[[nodiscard]] std::string short_fact(Finding const& finding);

}  // namespace mpisee_through
