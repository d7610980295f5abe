#pragma once

#include <cstdint>

// The thresholds of the rules. Shares are 0 to 1; "wall time" is the sum over the selected ranks.
namespace mpisee_through::thresholds {

// processors
inline constexpr double queued_of_wall = 0.1;  // of the ranks that compute most
inline constexpr double compute_most = 0.9;    // of the longest time outside MPI, at least

// uneven-work
inline constexpr double load_balance = 0.8;  // below
inline constexpr double lost_to_uneven =
    0.1;                                  // of the slowest rank's wall time, by which it computes longer than the mean
inline constexpr double got_alone = 0.8;  // of the processors, while a rank waits for one, by ranks that are alone

// A finding explains another one that concerns at most this multiple of the wall time that it concerns itself.
inline constexpr double explained_by_queuing = 2;
inline constexpr double explained_by_uneven = 1.5;

// waiting
inline constexpr double waiting_of_time = 0.3;  // of the operation
inline constexpr double waiting_of_wall = 0.1;
inline constexpr double waiting_errors = 2;  // standard errors by which both shares must be exceeded

// dominant-operation
inline constexpr double dominant_of_mpi = 0.3;
inline constexpr double dominant_of_wall = 0.1;
inline constexpr std::uint64_t transfer_bytes_per_s = 2ULL << 30U;  // to a rank, from which on its time is the transfer
inline constexpr double slow_to_fast = 1.5;  // the least ratio of a rank's time to another's that is mentioned

// the most uneven operation
inline constexpr double uneven_of_wall = 0.02;  // the difference of two ranks' times, of the longest wall time
inline constexpr std::uint64_t worth_joining_bytes = 4096;  // of a call, below: it takes as long as one of few bytes

// communicator-churn
inline constexpr std::uint64_t churn_calls = 100;  // that make communicators, on one parent
inline constexpr double churn_freed = 0.9;
inline constexpr double churn_uses = 10;  // the most calls of a rank on each of them

// tiny-messages
inline constexpr std::uint64_t tiny_bytes = 256;  // below
inline constexpr double tiny_of_messages = 0.9;
inline constexpr double tiny_of_time = 0.5;  // of the time of calls that carry messages
inline constexpr std::uint64_t tiny_messages_of_rank = 1000;
inline constexpr double tiny_of_wall = 0.1;

// late-senders
inline constexpr double receiving_of_wall = 0.1;
inline constexpr double from_late_senders = 2.0 / 3;  // of the messages to ranks that wait
inline constexpr double late_senders_wait = 0.25;     // the senders' mean time in receiving, of the receivers'
// by which the senders' mean time outside MPI is longer, of the receivers' mean time in receiving
inline constexpr double late_senders_work = 0.5;

// mapping
inline constexpr std::uint64_t mapping_bytes = 1U << 20U;
inline constexpr double crossing_hosts = 0.25;
inline constexpr double crossing_left = 0.5;  // with the better placement, of the bytes that cross now
inline constexpr double messages_of_wall = 0.05;

// polling
inline constexpr std::uint64_t empty_polls_of_rank = 1000;
inline constexpr double empty_polls_for_each = 10;
inline constexpr double polling_of_wall = 0.05;

}  // namespace mpisee_through::thresholds
