// Waiting in blocking collective operations: how long ranks waited for the last one to come, which rank that was, and
// how late it was. And waiting for messages: how long calls waited for a message that was not sent, or for a receive
// that was not posted, and for whom. The library samples both. waits.csv has them by communicator and operation, for
// messages also by call site; waits_by_rank.csv also by rank; waits_by_pair.csv who waits for whose messages. None has
// regions or message sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// An estimate, scaled from the samples to all calls, and summed over the selected ranks.
struct Waiting {
  double time_s = 0;                  // of all calls
  double wait_s = 0;                  // the part of time_s that is waiting
  std::optional<double> error_s = 0;  // standard error of wait_s
  bool is_upper_bound = false;        // whether wait_s is an upper bound

  // 0 to 1; nothing if no time passed.
  [[nodiscard]] std::optional<double> share() const;
  [[nodiscard]] std::optional<double> share_error() const;
  Waiting& operator+=(Waiting const& other);
};

// The rank that most often comes last, or is most often waited for.
struct Latecomer {
  WorldRank rank;
  double share;                    // share of the samples in which it is, 0 to 1
  std::optional<double> late_s{};  // how long after the mean of the others it then comes
};

struct RankWaiting {
  WorldRank rank;
  std::uint64_t samples;
  double time_s;
  double wait_s;
  std::uint64_t last;  // samples in which it came last
};

// With fewer instants, the share of waiting means little.
inline constexpr std::uint64_t fewest_instants = 30;

// A blocking collective operation on a communicator; or an operation for messages at a call site, and what it waits
// for. A call site may have two, for late senders and for late receivers; each has the time of all calls.
struct OperationWaiting : Waiting {
  CommunicatorIndex communicator{};
  OperationIndex operation{};
  WaitKind kind = WaitKind::collective;
  std::optional<CallSiteIndex> site{};  // only of messages; nothing if unknown
  std::optional<double> site_share{};   // part of wait_s at the site; only of a sum over call sites
  std::uint64_t ranks = 0;              // number of selected ranks in the sample
  std::uint64_t calls = 0;              // by all selected ranks
  std::uint64_t samples = 0;            // number of sampled instances, or of instants at which waiting is known
  std::optional<double> move_s{};       // only of collectives, like rest_s
  std::optional<double> rest_s{};
  double unknown_s = 0;                // part of time_s of which waiting is not known
  std::optional<Latecomer> last{};     // among all ranks, selected or not
  std::optional<Latecomer> cause{};    // the last in the chain of those who wait for each other; only of messages
  std::vector<RankWaiting> by_rank{};  // the selected ranks, ascending; only with WaitDetail::ranks

  [[nodiscard]] bool is_of_messages() const { return kind != WaitKind::collective; }
  // Whether the rank that is waited for most seldom is the cause: it may wait itself, for others or for nobody knows
  // whom.
  [[nodiscard]] bool is_passed_on() const {
    return is_of_messages() && last && (!cause || cause->share < last->share / 2);
  }
  // Who causes it; nothing if that is not known.
  [[nodiscard]] std::optional<Latecomer> culprit() const {
    if (!is_of_messages()) return last;
    return is_passed_on() ? std::nullopt : cause;
  }
  [[nodiscard]] bool has_enough_samples() const { return !is_of_messages() || samples >= fewest_instants; }
  [[nodiscard]] std::optional<double> unknown_share() const;
  [[nodiscard]] auto order() const { return std::tuple(communicator, operation, site, kind); }
};

// A rank that waits for another one's messages, or for its receives, in an operation at all call sites.
struct PairWaiting {
  CommunicatorIndex communicator;
  OperationIndex operation;
  WaitKind kind;
  WorldRank rank, for_rank;
  double wait_s;
  double error_s;
};

struct Waits {
  std::vector<OperationWaiting> operations;  // selected collectives with samples, in the order of their indices
  std::vector<OperationWaiting> messages;    // selected operations for messages, in the order of indices and kinds
  std::vector<OperationWaiting> pending;     // selected operations whose requests were pending, in the same order
  std::vector<PairWaiting> pairs;            // longest first; only with WaitDetail::pairs
  // By world rank: the waiting in all sampled operations, except those with only an upper bound. Empty if unknown.
  std::vector<double> measured_of_rank;
  // By world rank: the rest of the time in these operations, if it is known; only with WaitDetail::ranks.
  std::vector<double> moving_of_rank;

  [[nodiscard]] bool has_measured() const;
  // The waiting in a collective operation; null if unknown.
  [[nodiscard]] OperationWaiting const* find(CommunicatorIndex communicator, OperationIndex operation) const;
  // The waiting for messages in an operation, by call site and kind.
  [[nodiscard]] std::span<OperationWaiting const> messages_of(CommunicatorIndex communicator,
                                                              OperationIndex operation) const;
  // The sums over all collectives on a communicator, and over all communicators; nothing if no waiting is known.
  [[nodiscard]] std::optional<Waiting> on(CommunicatorIndex communicator) const;
  [[nodiscard]] std::optional<Waiting> in_all() const;
};

// The operations for messages, both kinds of waiting at a call site together.
[[nodiscard]] std::vector<OperationWaiting> by_call_site(std::span<OperationWaiting const> messages);
// One kind of waiting for messages in an operation, over its call sites; nothing if it is not known. The site is that
// with most of the waiting, and the cause the rank that causes most at the sites that name it.
[[nodiscard]] std::optional<OperationWaiting> over_call_sites(std::span<OperationWaiting const> messages,
                                                              WaitKind kind);

// The time in the selected operations, by what ranks do in it.
struct TimeInMpi {
  std::optional<Waiting> in_collectives;
  std::optional<OperationWaiting> in_messages;  // its time is that of which waiting is known
  double moving_s = 0;
  double delays_s = 0;                       // within collectives
  std::vector<double> unknown_of_operation;  // by OperationIndex: time of which waiting is not known

  [[nodiscard]] double waiting_s() const;
  [[nodiscard]] double unknown_s() const;
  [[nodiscard]] bool is_upper_bound() const { return in_collectives && in_collectives->is_upper_bound; }
};
[[nodiscard]] TimeInMpi split_time(Summary const& summary, Waits const& waits);

// What to read besides each operation: each rank of it, or who waits for whose messages.
enum class WaitDetail { operations, ranks, pairs };

// Reads the waits of the operations in a summary that was made with this selection and has one OperationSummary for
// each. Throws ProfileError, also if the profile has no waits.
[[nodiscard]] Waits read_waits(Profile const& profile, Summary const& summary, Selection const& selection,
                               WaitDetail detail);

// Like read_waits(); empty if the profile or the selection makes waiting unknown.
[[nodiscard]] Waits read_known_waits(Profile const& profile, Summary const& summary, Selection const& selection,
                                     WaitDetail detail = WaitDetail::operations);

// The longest time outside MPI, or the time outside MPI and in waiting of the rank that moves data longest. The summary
// must be of all calls of its ranks.
[[nodiscard]] TimeWithoutTransfer time_without_transfer(Summary const& summary, Waits const& waits);

[[nodiscard]] OperationSummary const& summary_of(Summary const& summary, OperationWaiting const& waiting);
// The calls that the waiting is of: of messages those at the call site.
[[nodiscard]] Totals const& totals_of(Summary const& summary, OperationWaiting const& waiting);

// Sorts by descending waiting, or by another key. At most arrangement.top operations.
[[nodiscard]] std::vector<OperationWaiting const*> arrange_waits(Summary const& summary,
                                                                 std::span<OperationWaiting const> operations,
                                                                 Arrangement const& arrangement);
// Sorts descending by how often a rank came last, then ascending by its waiting; of messages descending by its waiting.
[[nodiscard]] std::vector<RankWaiting> arrange_ranks(OperationWaiting const& waiting, std::optional<std::size_t> top);

// The ranks to show of one operation.
struct RankWaits {
  OperationWaiting const* operation;
  std::vector<RankWaiting> ranks;
};

// The ranks of each operation, collectives first, all in order; at most arrangement.top ranks in total.
[[nodiscard]] std::vector<RankWaits> arrange_rank_waits(Summary const& summary, Waits const& waits,
                                                        Arrangement const& arrangement);

// The share in words: "82.0 ± 3.1 %", "at most 82.0 ± 3.1 %". With fewer than fewest_instants: "-".
[[nodiscard]] std::string describe_share(Waiting const& waiting);
[[nodiscard]] std::string describe_share(OperationWaiting const& waiting);

// What calls wait for: "late senders".
[[nodiscard]] std::string_view awaited_in_words(WaitKind kind);

// A sentence without its full stop: "82.0 ± 3.1 % of Allreduce on W (8 ranks) at grid.c:29 is waiting for all to come;
// rank 7 comes last in 91.0 % of the calls, 3.200 ms after the mean of the others"; "62.0 ± 2.0 % of Waitall on W (8
// ranks) at halo.c:88 is waiting for late senders; rank 5 causes 70.0 % of it".
[[nodiscard]] std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting);

}  // namespace mpisee_through
