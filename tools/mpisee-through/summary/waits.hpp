// Waiting: how long calls wait for members of a communicator that have not entered a collective operation, for messages
// that are not sent, and for receives that are not posted; for whom, and who causes it. The library samples it by
// instants. waits.csv has it by communicator, operation, call site and kind; waits_by_rank.csv also by rank;
// waits_by_pair.csv says who waits for whom, causes.csv who causes it and where. None has regions or message sizes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// A rank and its share of the waiting, 0 to 1.
struct RankShare {
  WorldRank rank;
  double share;
};

struct RankWaiting {
  WorldRank rank;
  std::optional<std::uint64_t> instants;
  double time_s;
  double wait_s;
};

// With fewer instants, the share of waiting means little. Older profiles do not say how many there were: enough.
inline constexpr std::uint64_t fewest_instants = 30;
[[nodiscard]] constexpr bool are_enough(std::optional<std::uint64_t> instants) {
  return instants.value_or(fewest_instants) >= fewest_instants;
}

// The share of the waiting that ranks must cause to stand out.
inline constexpr double caused_by_few = 0.6;

// An operation on a communicator at a call site, and what it waits for. A call site may wait for several kinds, such as
// late senders and late receivers; each has the time of all calls. The waiting is an estimate, scaled from the instants
// to all calls, and summed over the selected ranks.
struct OperationWaiting {
  double time_s = 0;                  // of all calls
  double wait_s = 0;                  // the part of time_s that is waiting
  std::optional<double> error_s = 0;  // standard error of wait_s
  CommunicatorIndex communicator{};
  OperationIndex operation{};
  WaitKind kind = WaitKind::collective;
  std::optional<CallSiteIndex> site{};    // nothing if unknown
  std::optional<double> site_share{};     // part of wait_s at the site; only of a sum over call sites
  std::uint64_t ranks = 0;                // number of selected ranks with such calls
  std::uint64_t calls = 0;                // by all selected ranks
  std::optional<std::uint64_t> instants;  // at which waiting is known
  double unknown_s = 0;                   // part of time_s of which waiting is not known
  std::optional<RankShare> last{};        // the rank that is waited for most, selected or not
  // The rank that causes most, selected or not. Of a sum, one for each rank that a part names, most first.
  std::vector<RankShare> causes{};
  // The part that no rank causes, because none does more than others; nothing if unknown, as in older profiles.
  std::optional<double> pattern_share{};
  std::vector<RankWaiting> by_rank{};  // the selected ranks, the longest waiting first; only if asked for

  // 0 to 1; nothing if no time passed.
  [[nodiscard]] std::optional<double> share() const { return share_of(wait_s, time_s); }
  [[nodiscard]] std::optional<double> share_error() const {
    return error_s ? share_of(*error_s, time_s) : std::nullopt;
  }
  // Whether no rank causes most of the waiting by doing more than others: the order of calls makes ranks wait.
  [[nodiscard]] bool is_mostly_pattern() const { return pattern_share.value_or(0) > 0.5; }
  // The ranks that cause the waiting: the first, and others that cause at least half as much.
  struct Culprits {
    std::vector<std::uint32_t> ranks{};  // ascending
    double share = 0;                    // of the waiting

    [[nodiscard]] bool stand_out() const { return share >= caused_by_few; }
  };
  [[nodiscard]] Culprits culprits() const;
  // Adds those at another call site or on another communicator. Who is waited for is then unknown.
  OperationWaiting& add_calls(OperationWaiting const& other);
  [[nodiscard]] bool has_enough_instants() const { return are_enough(instants); }
  [[nodiscard]] std::optional<double> unknown_share() const { return share_of(unknown_s, time_s); }
  [[nodiscard]] auto order() const { return std::tuple(communicator, operation, site, kind); }
};

// A rank that waits for another one in an operation, at all call sites.
struct PairWaiting {
  CommunicatorIndex communicator;
  OperationIndex operation;
  WaitKind kind;
  WorldRank rank, for_rank;
  double wait_s;
  double error_s;
};

// What makes others wait: a call that a rank enters late, because it has done more before it.
struct Cause {
  struct Call {
    CommunicatorIndex communicator;
    OperationIndex operation;
    std::optional<CallSiteIndex> site;  // nothing if unknown

    friend auto operator<=>(Call const&, Call const&) = default;
  };
  std::optional<Call> call;  // nothing if unknown
  WorldRank rank;
  double caused_s;
  double error_s;
  double direct_s;  // the part of those who wait for this call
};

struct Waits {
  std::vector<OperationWaiting> operations;     // the selected operations that may wait, in their order()
  std::vector<OperationWaiting> pending;        // selected operations whose requests were pending, in the same order
  std::vector<PairWaiting> pairs;               // longest first; only if asked for
  std::optional<OperationWaiting> in_finalize;  // of ranks that have ended early; it has no place

  // The waiting in an operation, by call site and kind.
  [[nodiscard]] std::span<OperationWaiting const> at(CommunicatorIndex communicator, OperationIndex operation) const;
  // The waiting in all operations on a communicator; nothing if too little of it is known.
  [[nodiscard]] std::optional<double> wait_s_on(CommunicatorIndex communicator) const;
};

// The sum over kinds and call sites, without causes; nothing of none.
[[nodiscard]] std::optional<OperationWaiting> sum_of_waiting(std::span<OperationWaiting const> operations);
// One kind of waiting in an operation, over its call sites; nothing if it is not known. The site is that with most of
// the waiting.
[[nodiscard]] std::optional<OperationWaiting> over_call_sites(std::span<OperationWaiting const> operations,
                                                              WaitKind kind);

// What makes ranks wait, before selected operations, most first. Throws ProfileError, also if the profile lacks it.
[[nodiscard]] std::vector<Cause> read_causes(Profile const& profile, Summary const& summary);

// Who waits for whom in selected operations, longest first. Throws ProfileError, also if the profile lacks it.
[[nodiscard]] std::vector<PairWaiting> read_waiting_pairs(Profile const& profile, Summary const& summary,
                                                          Selection const& selection);

// Reads the waits of the operations in a summary that was made with this selection and has cells by
// communicator and operation. with_ranks: also each rank of these. Throws ProfileError, also if the profile has no
// waits.
[[nodiscard]] Waits read_waits(Profile const& profile, Summary const& summary, Selection const& selection,
                               bool with_ranks = false);

// Like read_waits(); empty if the profile or the selection makes waiting unknown.
[[nodiscard]] Waits read_known_waits(Profile const& profile, Summary const& summary, Selection const& selection);

// The share in words: "82.0 ± 3.1 %"; "at most 3.0 %" if no instant is in the waiting; "-" with fewer than
// fewest_instants.
[[nodiscard]] std::string describe_share(OperationWaiting const& waiting);

// What calls wait for: "late senders".
[[nodiscard]] std::string_view awaited_in_words(WaitKind kind);

// A sentence without its full stop: "82.0 ± 3.1 % of Allreduce on W (8 ranks) at grid.c:29 is waiting for all to come;
// rank 7 causes 91.0 % of it".
[[nodiscard]] std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting);

}  // namespace mpisee_through
