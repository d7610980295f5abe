#pragma once

#include <cstdint>

// The thresholds of the rules. Shares are 0 to 1; "wall time" is the sum over the selected ranks.
namespace mpisee_through::thresholds {

// unfinished-calls
inline constexpr double unfinished_of_wall = 0.1;

// processors
inline constexpr double queued_of_wall = 0.1;  // share of wall time, of the ranks that compute most
inline constexpr double compute_most = 0.9;    // they spend at least this share of the longest time outside MPI

// change
inline constexpr double change_of_share = 0.1;      // of the share of MPI in the run
inline constexpr double slower_calls = 0.8;         // at most this many calls a second, as a ratio to the faster part
inline constexpr double lost_to_change = 0.05;      // share of the run
inline constexpr double other_mix = 0.1;            // difference of the shares of a kind in all calls: another phase
inline constexpr double other_sizes = 1.25;         // ratio of the bytes a call: another phase
inline constexpr double slower_rank = 1.25;         // ratio of the times outside MPI, also to that of the median rank
inline constexpr double slower_rank_of_part = 0.1;  // its additional time, as a share of the slower part
inline constexpr double slower_mpi = 1.25;          // ratio of the times in MPI a call
inline constexpr std::uint64_t calls_of_part = 20;  // a rank

// slower-rank, beside those of a change
inline constexpr double others_of_change = 0.5;  // no other rank changes by more of the additional time

// uneven-work
inline constexpr double load_balance = 0.8;  // a finding needs less
// excess of the slowest rank over the mean computing time, as a share of the longest wall time
inline constexpr double lost_to_uneven = 0.1;
// share of the busy processors' time: if the ranks got less, other processes had the rest
inline constexpr double got_alone = 0.8;

// A finding explains another one that concerns at most this multiple of the wall time that it concerns itself.
inline constexpr double explained_by_queuing = 2;
inline constexpr double explained_by_uneven = 1.5;
// An operation that takes long comes after a finding that has a cause, if that concerns more than this part of its
// time.
inline constexpr double without_cause = 0.6;

// A communicator with at least this share of what its siblings have together stands for itself.
inline constexpr double of_one_sibling = 0.75;

// waiting, late-senders, late-receivers
inline constexpr double waiting_of_time = 0.3;  // share of the operation's time
inline constexpr double waiting_of_wall = 0.1;
inline constexpr double mostly_waiting =
    0.5;                                      // share of the time of an operation that dominates: the advice is another
inline constexpr double waiting_errors = 2;   // both shares must be exceeded by this many standard errors
inline constexpr double caused_by_few = 0.6;  // share of the waiting that those whom the advice names cause
inline constexpr double computes_longer = 1.1;  // ratio to the others' mean time outside MPI that is mentioned

// dominant-operation
inline constexpr double dominant_of_mpi = 0.3;
inline constexpr double dominant_of_wall = 0.1;
// data rate to a rank from which on its time is that of the transfer
inline constexpr std::uint64_t transfer_bytes_per_s = 2ULL << 30U;
inline constexpr double slow_to_fast = 1.5;  // least ratio of two ranks' times that is mentioned

// the most uneven operation
inline constexpr double uneven_of_wall = 0.02;  // difference of two ranks' times, as a share of the longest wall time
// a smaller call takes as long as one of a few bytes, so joining such calls pays
inline constexpr std::uint64_t worth_joining_bytes = 4096;

// communicator-churn, window-churn
inline constexpr std::uint64_t churn_calls = 100;  // creating calls on one parent
inline constexpr double churn_freed = 0.9;
inline constexpr double churn_uses = 10;  // mean calls of a rank on each communicator, at most
inline constexpr double churn_of_wall = 0.01;

// tiny-messages, tiny-collectives
inline constexpr std::uint64_t tiny_bytes = 256;  // smaller messages are tiny
inline constexpr double tiny_of_messages = 0.9;
inline constexpr double tiny_of_time = 0.5;  // share of the time of calls that carry messages
inline constexpr std::uint64_t tiny_messages_of_rank = 1000;
inline constexpr double tiny_of_wall = 0.1;
inline constexpr double tiny_call_s = 1e-3;  // a collective call that takes longer, on average, waits for something

// paired-barriers
inline constexpr std::uint64_t paired_barriers_of_rank = 100;
inline constexpr double paired_barriers =
    0.95;  // least ratio of barriers to other collectives, or of these to barriers
inline constexpr double barriers_of_wall = 0.05;

// files
inline constexpr double files_of_wall = 0.1;
inline constexpr std::uint64_t large_access_bytes = 1U << 20U;

// mapping
inline constexpr std::uint64_t mapping_bytes = 1U << 20U;
inline constexpr double crossing_hosts = 0.25;
// share of the present bytes between hosts that remain with the better placement
inline constexpr double crossing_left = 0.5;
inline constexpr double messages_of_wall = 0.05;

// polling
inline constexpr std::uint64_t empty_polls_of_rank = 1000;
inline constexpr double empty_polls_for_each = 10;
inline constexpr double polling_of_wall = 0.05;

// the note that callers are not known
inline constexpr double calls_of_library = 0.5;

// no findings, and the verdict
inline constexpr double worth_naming_of_wall = 0.02;  // a class of the account, in the verdict
inline constexpr double worth_telling_of_wall = 0.1;  // the whole of MPI, or the finding that the run is bound by
inline constexpr double mostly_work_below = 0.25;     // share of MPI in the wall time
inline constexpr double bound_by_of_mpi = 0.25;       // the finding that the run is bound by, of the share of MPI
inline constexpr double explained_of_mpi = 0.5;       // all findings together; less is said

}  // namespace mpisee_through::thresholds
