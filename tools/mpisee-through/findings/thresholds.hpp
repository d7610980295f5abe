#pragma once

#include <cstdint>

// The thresholds of the rules. Shares are 0 to 1; "wall time" is the sum over the selected ranks.
namespace mpisee_through::thresholds {

inline constexpr double least_saving = 0.02;   // of the wall time; less is no finding
inline constexpr double worth_trying = 0.05;   // what most findings would save at least
inline constexpr double of_one_finding = 1.5;  // an explanation may save less than what it explains by this factor
inline constexpr double unfinished_of_wall = 0.1;

// processors
inline constexpr double mostly_queued = 0.5;  // of late ranks' time: what they cause may come from that
inline constexpr double compute_most = 0.9;   // ranks that determine the duration, of the longest time without waiting
// share of the busy processors' time: if the ranks got less, other processes had the rest
inline constexpr double got_alone = 0.8;

// change
inline constexpr double change_of_share = 0.1;  // of the share of MPI in the run
inline constexpr double slower_calls = 0.8;     // at most this many calls a second, as a ratio to the faster part
inline constexpr double other_mix = 0.1;        // difference of a kind's or a rank's shares in all calls: other phase
inline constexpr double other_sizes = 1.25;     // ratio of the bytes a call: another phase
inline constexpr double slower_rank = 1.25;     // ratio of the times outside MPI
inline constexpr double slower_rank_of_part = 0.1;  // its additional time, as a share of the slower part
inline constexpr double others_of_change = 0.5;     // no other rank changes by more of the additional time
inline constexpr double slower_mpi = 1.25;          // ratio of the times in MPI a call
inline constexpr std::uint64_t calls_of_part = 20;  // a rank

// uneven-work
inline constexpr double load_balance = 0.8;  // a finding needs less

// waiting, late-senders, late-receivers, no-progress
inline constexpr double waiting_errors = 2;     // the saving must be exceeded by this many standard errors
inline constexpr double computes_longer = 1.1;  // ratio to the others' mean time outside MPI that is mentioned

// tiny-messages, tiny-collectives, dominant-operation
inline constexpr std::uint64_t tiny_bytes = 256;  // smaller messages are tiny
inline constexpr double tiny_of_messages = 0.9;
inline constexpr double tiny_of_time = 0.5;  // share of the time of calls that carry messages
inline constexpr std::uint64_t tiny_messages_of_rank = 1000;
inline constexpr double tiny_call_s = 1e-3;  // a collective call that takes longer, on average, waits for something
// a smaller call takes as long as one of a few bytes, so joining such calls pays
inline constexpr std::uint64_t worth_joining_bytes = 4096;

// communicator-churn, window-churn
inline constexpr std::uint64_t churn_calls = 100;  // creating calls on one parent
inline constexpr double churn_freed = 0.9;
inline constexpr double churn_uses = 10;  // mean calls of a rank on each communicator, at most

// paired-barriers
inline constexpr std::uint64_t paired_barriers_of_rank = 100;
inline constexpr double paired_barriers =
    0.95;  // least ratio of barriers to other collectives, or of these to barriers

// files
inline constexpr std::uint64_t large_access_bytes = 1U << 20U;

// mapping
inline constexpr std::uint64_t mapping_bytes = 1U << 20U;
inline constexpr double crossing_hosts = 0.25;
inline constexpr double crossing_left = 0.5;  // of the present bytes between hosts, with the better placement

// polling
inline constexpr std::uint64_t empty_polls_of_rank = 1000;
inline constexpr double empty_polls_for_each = 10;

// the note that callers are not known
inline constexpr double calls_of_library = 0.5;

}  // namespace mpisee_through::thresholds
