// What each process adds to the facts of the whole run.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/dropped.hpp"
#include "profile/message_totals.hpp"
#include "profile/schema.hpp"

namespace commprof {

// Calls of operations of which waits.csv tells, on communicators of which it does not.
enum class NoWaits : std::uint8_t {
  folded,              // the communicator shares its record with others
  intercommunicators,  // who waits for whom differs between the groups
  other,               // it has members of other worlds, or was made by calls that were not seen
  incomplete,          // not all members have a sample, or it holds no call that all of them have
  count_
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(NoWaits::count_)> no_waits_names{
    "folded", "intercommunicators", "other", "incomplete"};

// Sent as raw bytes, so it holds numbers only.
struct RunSummary {
  std::array<std::uint64_t, schema::tables.size()> rows{};
  std::uint64_t wall_ns = 0;             // of the slowest process
  std::uint64_t all_us = 0, mpi_us = 0;  // of all processes: their time, and that in MPI
  std::array<std::uint64_t, dropped::names.size()> dropped{};
  std::array<std::uint64_t, dropped::folded_names.size()> folded{};
  std::array<std::uint64_t, no_waits_names.size()> no_waits{};
  MessageTotals messages;
  std::uint64_t bytes_over_limit = 0;  // of a profile that would have been larger than it may be
  std::uint64_t has_sums = 1;          // 0 without memory for summary.csv: then there is none

  void add(RunSummary const& other);
};

}  // namespace commprof
