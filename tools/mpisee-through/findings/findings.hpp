// Findings: what costs time in a profile and can be changed, in plain words.
//
// A rule searches the sums of a profile for one kind of problem. A finding states a fact with the numbers that prove
// it, a thing to try, what that would save at most, and the command that shows more. Savings are parts of the account
// of the run (summary/overview.hpp): waiting is saved by whoever causes it, the price of calls by the calls.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "findings/processors.hpp"
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
  double saving;                            // at most this share of the wall time, 0 to 1
  std::optional<double> saving_most{};      // if known, `saving` is the least that would be saved, and this the most
  std::string fact;                         // one or two sentences
  std::string options;                      // options of mpisee-through that show more
  std::string advice;                       // a thing to try
  std::vector<CommOperation> places{};      // the operations that it is about, in the summary that its rule has seen
  std::vector<std::uint32_t> late_ranks{};  // ranks that others wait for, ascending
  std::vector<Finding> consequences{};      // findings that this one explains, or may explain
  std::string note{};                       // a sentence below it; may be empty
  bool only_may_follow = false;             // of a consequence: it may have other causes, too
  bool is_reason = false;                   // of a consequence: it explains in part what it is below
  std::optional<double> changes_at_s{};     // when it begins or ends, since the start of the run
};

// The input of the rules.
struct Evidence {
  Summary const& summary;  // made with cells_of_findings(); of some rules, with families in place of communicators
  // Messages of the classes p2p and rma, read at the first call. Empty if the profile has none, or if parts of calls
  // are selected.
  std::function<MessageSums const&()> messages;
  Waits const& waits;  // empty if waiting is unknown
  ProcessorWaits const& processors;
  // What causes the waiting, read at the first call; empty if it is unknown. Its places are in the summary without
  // families.
  std::function<std::vector<Cause> const&()> causes{};
  std::function<std::vector<PairWaiting> const&()> waits_for{};  // who waits for whom, likewise
  bool whole_ranks;                                              // all calls of the selected ranks are selected
  TimeWindows const* windows = nullptr;  // null if the profile has none, or if parts of it are selected
  Summary const* members = nullptr;      // the summary without families, if this is one with them
  CodeLines const* lines = nullptr;      // the places of calls that did not end; null: they are not looked up
};

// In order of explanation: a finding may explain findings of later levels. The first has no saving.
enum class Level { stuck, processors, change, uneven_work, waiting, many_calls, long_operation };

struct Rule {
  std::string_view name;
  Level level;
  bool of_families;       // looks at the communicators of a family, such as the rows of a grid, as one
  std::string condition;  // of a finding, including the thresholds
  std::vector<Finding> (*find)(Evidence const&);
};
[[nodiscard]] std::span<Rule const> rules();

inline constexpr std::size_t most_findings = 5;

// The findings of all rules, at most most_findings: what kept the run from going on, then descending by what they
// would save. Findings that another one explains, or may explain, are its consequences.
[[nodiscard]] std::vector<Finding> find_all(Evidence const& evidence);

// The first clause of the fact, as a sentence.
[[nodiscard]] std::string short_fact(Finding const& finding);

// What leads from a finding to a consequence: "Thus", or another word where that would say too much.
[[nodiscard]] std::string_view link_in_words(Finding const& consequence);

// "Saves up to 12.0 % of the run, 3.400 s."
[[nodiscard]] std::string saving_in_words(Finding const& finding, double wall_s);

}  // namespace mpisee_through
