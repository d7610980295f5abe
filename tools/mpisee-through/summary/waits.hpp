// Waiting in blocking collectives: which part of their time ranks waited for the last one to come, which one that was,
// and how late. The library samples that; waits.csv has it for operations on communicators, waits_by_rank.csv for their
// ranks. Neither knows regions, call sites or sizes of messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// An estimate, scaled to all calls and summed over the selected ranks.
struct Waiting {
  double time_s = 0;                  // of the calls
  double wait_s = 0;                  // of it, before the last rank had come
  std::optional<double> error_s = 0;  // standard error of wait_s
  bool is_upper_bound = false;        // wait_s

  // 0 to 1; nothing if no time passed.
  [[nodiscard]] std::optional<double> share() const;
  [[nodiscard]] std::optional<double> share_error() const;
  Waiting& operator+=(Waiting const& other);
};

// Who comes last most often.
struct Latecomer {
  WorldRank rank;
  double share;                  // of the instances, 0 to 1
  std::optional<double> late_s;  // after the mean of the others, when it is last
};

struct RankWaiting {
  WorldRank rank;
  std::uint64_t samples;
  double time_s;
  double wait_s;
  std::uint64_t last;  // samples in which it came last
};

// A blocking collective operation on a communicator.
struct OperationWaiting : Waiting {
  CommunicatorIndex communicator{};
  OperationIndex operation{};
  std::uint64_t ranks = 0;    // selected ones, in the sample
  std::uint64_t calls = 0;    // of all selected ranks
  std::uint64_t samples = 0;  // instances
  std::optional<double> move_s{};
  std::optional<double> rest_s{};
  std::optional<Latecomer> last{};     // of all ranks
  std::vector<RankWaiting> by_rank{};  // the selected ranks, ascending; only with WaitDetail::ranks
};

struct Waits {
  std::vector<OperationWaiting> operations;  // the selected ones that were sampled, in the order of their indices
  // By world rank: measured waiting in all operations that were sampled, no upper bounds. Empty where that is not
  // known.
  std::vector<double> measured_of_rank;

  // Null where it is not known.
  [[nodiscard]] OperationWaiting const* find(CommunicatorIndex communicator, OperationIndex operation) const;
  // Of all operations on a communicator, and on all of them; nothing if none is known.
  [[nodiscard]] std::optional<Waiting> on(CommunicatorIndex communicator) const;
  [[nodiscard]] std::optional<Waiting> in_all() const;
};

enum class WaitDetail { operations, ranks };

// What the profile says of the operations in a summary that was made with this selection, one OperationSummary for
// each. Throws ProfileError, also for a profile without such files.
[[nodiscard]] Waits read_waits(Profile const& profile, Summary const& summary, Selection const& selection,
                               WaitDetail detail);

// The same, without anything where the profile or the kind of selection leaves waiting unknown.
[[nodiscard]] Waits read_known_waits(Profile const& profile, Summary const& summary, Selection const& selection);

// Has the efficiency know of the ranks' waiting.
void add_waiting(Waits const& waits, Summary& summary);

[[nodiscard]] OperationSummary const& summary_of(Summary const& summary, OperationWaiting const& waiting);

// By falling waiting, or what else the key says. top: so many of them.
[[nodiscard]] std::vector<OperationWaiting const*> arrange_waits(Summary const& summary, Waits const& waits,
                                                                 Arrangement const& arrangement);
// Who came last most often is first, then who waited least.
[[nodiscard]] std::vector<RankWaiting> arrange_ranks(OperationWaiting const& waiting, std::optional<std::size_t> top);

// In words: "82.0 ± 3.1 %", "at most 82.0 ± 3.1 %".
[[nodiscard]] std::string describe_share(Waiting const& waiting);

// "82.0 ± 3.1 % of Allreduce on W (8 ranks) at grid.c:29 is waiting for all to come; rank 7 comes last in 91.0 % of the
// calls, 3.200 ms after the mean of the others", without a full stop.
[[nodiscard]] std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting);

}  // namespace mpisee_through
