// A report: a profile as a page for the browser, in one file that needs no other.
//
// What the page shows is added up here, small enough for a browser however large the profile is, and goes into the page
// as JSON (report_json.cpp); the page itself is made from the sources in page/ when the tool is built.
#pragma once

#include <cstddef>
#include <optional>

#include "report/pair_sums.hpp"
#include "report/rank_times.hpp"
#include "report/shown_communicators.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Beyond these, the page would be slow; it says what it leaves out.
inline constexpr std::size_t most_communicators = 1000;
inline constexpr std::size_t most_regions = 1000;

struct ReportData {
  Summary by_operation;
  Summary by_size;
  ShownCommunicators communicators;
  BinnedTimes ranks;
  std::optional<PairSums> pairs;  // of a profile that has them
  std::optional<Regions> regions;
};

// Reads all of the profile. Throws ProfileError.
ReportData read_report_data(Profile const& profile);

}  // namespace mpisee_through
