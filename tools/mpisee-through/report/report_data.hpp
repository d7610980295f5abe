// A report: a profile as a page for the browser, in one file that needs no other.
//
// What the page shows is added up here, small enough for a browser however large the profile is, and goes into the page
// as JSON (report_json.cpp); the page itself is made from the sources in page/ when the tool is built.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "findings/first_screen.hpp"
#include "report/link_sums.hpp"
#include "report/pair_sums.hpp"
#include "report/rank_times.hpp"
#include "report/shown_communicators.hpp"
#include "report/site_sums.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Beyond these, the page would be slow; it says what it leaves out.
inline constexpr std::size_t most_communicators = 1000;
inline constexpr std::size_t most_regions = 1000;
inline constexpr std::size_t most_sites = 10000;
inline constexpr std::size_t most_site_parts = std::size_t{1} << 18U;  // on single communicators
inline constexpr std::size_t most_links = 200;

struct ReportData {
  std::string selection;  // in words; empty: everything
  FirstScreen first;      // what the terminal shows first
  ShownCommunicators communicators;
  SiteSums sites;
  BinnedTimes ranks;
  // Of a profile that has them, and a selection that can be told from them.
  std::optional<PairSums> pairs = std::nullopt;
  std::optional<Regions> regions = std::nullopt;
  std::optional<LinkSums> links = std::nullopt;  // if there is a fabric
  // Why there are none, if that is because of the selection, or of what the profile holds; of links only with a fabric.
  std::string no_pairs = {};
  std::string no_regions = {};
  std::string no_links = {};

  [[nodiscard]] Summary const& summary() const { return first.summary; }
};

// Reads all of the profile, and the fabric. Throws ProfileError, and SelectionError for a pattern that matches nothing.
ReportData read_report_data(Profile const& profile, Selection const& selection,
                            std::optional<FabricSource> const& fabric = std::nullopt);

}  // namespace mpisee_through
