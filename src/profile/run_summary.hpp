// The facts that each process contributes to run.json.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/dropped.hpp"
#include "profile/message_totals.hpp"
#include "profile/schema.hpp"

namespace commprof {

// Why calls of a collective operation are missing from waits.csv.
enum class NoWaits : std::uint8_t {
  folded,              // the communicator shares its record with others
  intercommunicators,  // its two groups wait for each other differently
  other,               // it has members of other worlds, or was created by unseen calls
  incomplete,          // some member has no sample, or no sampled call is common to all members
  disagreeing,         // a call has failed on some members only, so that the numbers of later ones differ
  count_
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(NoWaits::count_)> no_waits_names{
    "folded", "intercommunicators", "other", "incomplete", "disagreeing"};

// Sent as raw bytes, so it contains only numbers.
struct RunSummary {
  std::array<std::uint64_t, schema::tables.size()> rows{};
  std::uint64_t wall_ns = 0;             // of the slowest process
  std::uint64_t all_us = 0, mpi_us = 0;  // summed over processes: total time, and time in MPI
  std::array<std::uint64_t, dropped::names.size()> dropped{};
  std::array<std::uint64_t, dropped::folded_names.size()> folded{};
  std::array<std::uint64_t, no_waits_names.size()> no_waits{};
  MessageTotals messages;
  std::uint64_t bytes_over_limit = 0;  // size of a profile that would exceed its limit; otherwise 0
  std::uint64_t has_sums = 1;          // 0 without memory for summary.csv, which is then not written

  void add(RunSummary const& other);
};

}  // namespace commprof
