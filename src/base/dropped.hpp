// Counts what a profile lacks, or has in less detail than usual. Every nonzero count is in run.json, and mpisee-through
// shows it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace commprof {

enum class Dropped : std::uint8_t {
  records,               // calls not counted for lack of memory for their record
  communicators,         // communicators without a record of their own for lack of memory
  requests,              // requests not tracked to their completion for lack of memory
  unknown_communicator,  // failed calls on a handle that is not a live communicator
  receives_freed,        // receives whose request was freed before their size was known
  requests_unfinished,   // requests still active at the end
  sends_cancelled,       // sends that were counted and then cancelled
  region_ends_ignored,   // ends of a region other than the innermost one, or without any
  messages,              // messages not counted by peer for lack of memory
  regions_left_open,     // regions still open at the end
  times,                 // calls during which the clock was not monotonic; counted with zero time
  requests_given_up,     // requests whose variables got others: the oldest of too many, which no call has completed
  count_
};

enum class Folded : std::uint8_t {
  communicators,  // communicators that share another's record because their parent had too many
  regions,        // times that a region was counted as the one around it: too many regions, or too deep
  sites,          // times that a thread came to a site that has no module or finds no room; the calls have no site
  count_
};

namespace dropped {

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Dropped::count_)> names{
    "records",        "communicators",       "requests",        "calls_on_unknown_communicators",
    "receives_freed", "requests_unfinished", "sends_cancelled", "region_ends_ignored",
    "messages",       "regions_left_open",   "times",           "requests_given_up"};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Folded::count_)> folded_names{
    "communicators", "regions", "sites"};

struct Counts {
  std::array<std::atomic<std::uint64_t>, names.size()> dropped{};
  std::array<std::atomic<std::uint64_t>, folded_names.size()> folded{};

  std::atomic<std::uint64_t>& operator[](Dropped kind) { return dropped[static_cast<std::size_t>(kind)]; }
  std::atomic<std::uint64_t>& operator[](Folded kind) { return folded[static_cast<std::size_t>(kind)]; }
};
inline constinit Counts counts_in_memory;
// The counts of this process. They may move once, when MPI starts, to memory that outlives the process.
inline constinit Counts* counts = &counts_in_memory;

template <class Kind>
void count(Kind kind, std::uint64_t n = 1) {
  (*counts)[kind].fetch_add(n, std::memory_order_relaxed);
}

}  // namespace dropped
}  // namespace commprof
