// Waiting in blocking collective operations: how long ranks waited for the last one to come, which rank that was, and
// how late it was. The library samples this. waits.csv has it by communicator and operation, waits_by_rank.csv also by
// rank. Neither has regions, call sites or message sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// An estimate, scaled from the samples to all calls, and summed over the selected ranks.
struct Waiting {
  double time_s = 0;                  // of all calls
  double wait_s = 0;                  // the part of time_s before the last rank came
  std::optional<double> error_s = 0;  // standard error of wait_s
  bool is_upper_bound = false;        // whether wait_s is an upper bound

  // 0 to 1; nothing if no time passed.
  [[nodiscard]] std::optional<double> share() const;
  [[nodiscard]] std::optional<double> share_error() const;
  Waiting& operator+=(Waiting const& other);
};

// The rank that most often comes last.
struct Latecomer {
  WorldRank rank;
  double share;                  // share of the instances in which it comes last, 0 to 1
  std::optional<double> late_s;  // how long after the mean of the others, when it is last
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
  std::uint64_t ranks = 0;    // number of selected ranks in the sample
  std::uint64_t calls = 0;    // by all selected ranks
  std::uint64_t samples = 0;  // number of sampled instances
  std::optional<double> move_s{};
  std::optional<double> rest_s{};
  std::optional<Latecomer> last{};     // among all ranks, selected or not
  std::vector<RankWaiting> by_rank{};  // the selected ranks, ascending; only with WaitDetail::ranks
};

struct Waits {
  std::vector<OperationWaiting> operations;  // selected operations with samples, in the order of their indices
  // By world rank: the waiting in all sampled operations, except those with only an upper bound. Empty if unknown.
  std::vector<double> measured_of_rank;

  [[nodiscard]] bool has_measured() const;
  // Null if unknown.
  [[nodiscard]] OperationWaiting const* find(CommunicatorIndex communicator, OperationIndex operation) const;
  // The sums over all operations on a communicator, and over all communicators; nothing if no waiting is known.
  [[nodiscard]] std::optional<Waiting> on(CommunicatorIndex communicator) const;
  [[nodiscard]] std::optional<Waiting> in_all() const;
};

enum class WaitDetail { operations, ranks };

// Reads the waits of the operations in a summary that was made with this selection and has one OperationSummary for
// each. Throws ProfileError, also if the profile has no waits.
[[nodiscard]] Waits read_waits(Profile const& profile, Summary const& summary, Selection const& selection,
                               WaitDetail detail);

// Like read_waits(); empty if the profile or the selection makes waiting unknown.
[[nodiscard]] Waits read_known_waits(Profile const& profile, Summary const& summary, Selection const& selection);

[[nodiscard]] OperationSummary const& summary_of(Summary const& summary, OperationWaiting const& waiting);

// Sorts by descending waiting, or by another key. At most arrangement.top operations.
[[nodiscard]] std::vector<OperationWaiting const*> arrange_waits(Summary const& summary, Waits const& waits,
                                                                 Arrangement const& arrangement);
// Sorts descending by how often a rank came last, then ascending by its waiting.
[[nodiscard]] std::vector<RankWaiting> arrange_ranks(OperationWaiting const& waiting, std::optional<std::size_t> top);

// The ranks to show of one operation.
struct RankWaits {
  OperationWaiting const* operation;
  std::vector<RankWaiting> ranks;
};

// The ranks of each operation, all in order; at most arrangement.top ranks in total.
[[nodiscard]] std::vector<RankWaits> arrange_rank_waits(Summary const& summary, Waits const& waits,
                                                        Arrangement const& arrangement);

// The share in words: "82.0 ± 3.1 %", "at most 82.0 ± 3.1 %".
[[nodiscard]] std::string describe_share(Waiting const& waiting);

// A sentence without its full stop: "82.0 ± 3.1 % of Allreduce on W (8 ranks) at grid.c:29 is waiting for all to come;
// rank 7 comes last in 91.0 % of the calls, 3.200 ms after the mean of the others".
[[nodiscard]] std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting);

}  // namespace mpisee_through
