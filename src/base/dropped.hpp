// Counts of what the profile does not hold, or holds in less detail than usual. Nothing is lost in silence: every kind
// with a count above zero is in run.json and is shown by mpisee-through.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace commprof {

enum class Dropped : std::uint8_t {
  records,               // calls not counted: no memory for their record
  communicators,         // communicators without a record of their own: no memory
  requests,              // requests not followed to their completion: no memory
  unknown_communicator,  // failed calls on a communicator that is not a live one
  receives_freed,        // receives whose request was freed before it was known how much arrives
  requests_unfinished,   // requests still active at the end
  sends_cancelled,       // sends that were counted and then cancelled
  region_ends_ignored,   // ends of a region that was not the innermost one, or of none
  messages,              // not counted by their peers: no memory
  regions_left_open,     // regions that the program had not ended at the end
  times,                 // calls during which the clock went back: they count with no time
  count_
};

enum class Folded : std::uint8_t {
  communicators,  // communicators that share the record of others because their parent had too many
  regions,        // times that a region was entered and counted as the one around it: too many, or too deep
  sites,          // times that a thread came to a call site which is in no module, or finds no room: no site is known
  count_
};

namespace dropped {

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Dropped::count_)> names{
    "records",
    "communicators",
    "requests",
    "calls_on_unknown_communicators",
    "receives_freed",
    "requests_unfinished",
    "sends_cancelled",
    "region_ends_ignored",
    "messages",
    "regions_left_open",
    "times"};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Folded::count_)> folded_names{
    "communicators", "regions", "sites"};

struct Counts {
  std::array<std::atomic<std::uint64_t>, names.size()> dropped{};
  std::array<std::atomic<std::uint64_t>, folded_names.size()> folded{};

  std::atomic<std::uint64_t>& operator[](Dropped kind) { return dropped[static_cast<std::size_t>(kind)]; }
  std::atomic<std::uint64_t>& operator[](Folded kind) { return folded[static_cast<std::size_t>(kind)]; }
};
inline constinit Counts counts_in_memory;
// Those of this process. They may move once, as MPI starts: to where they outlive the process.
inline constinit Counts* counts = &counts_in_memory;

template <class Kind>
void count(Kind kind, std::uint64_t n = 1) {
  (*counts)[kind].fetch_add(n, std::memory_order_relaxed);
}

// The same for a kind that one thread at a time counts.
template <class Kind>
void count_alone(Kind kind) {
  std::atomic<std::uint64_t>& count = (*counts)[kind];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace dropped
}  // namespace commprof
