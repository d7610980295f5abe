// A report: a profile as a self-contained page for the browser.
//
// This sums the data of the page, small enough for a browser however large the profile is. The page contains the data
// as JSON (report_json.cpp). The build makes the page itself from the sources in page/.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "files/json.hpp"
#include "findings/first_screen.hpp"
#include "report/pair_sums.hpp"
#include "report/rank_times.hpp"
#include "report/shown_communicators.hpp"
#include "report/site_sums.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Limits for the speed of the page, which says what it leaves out.
inline constexpr std::size_t most_communicators = 1000;
inline constexpr std::size_t most_regions = 1000;
inline constexpr std::size_t most_lines = 10000;  // of the tables of operations, sizes and ranks
inline constexpr std::size_t most_sites = 10000;
inline constexpr std::size_t most_site_parts = std::size_t{1} << 18U;  // entries for single communicators

struct ReportData {
  std::string selection;  // in words; empty if everything is selected
  bool has_whole_ranks;   // all calls of the ranks are selected
  FirstScreen first;      // contents of the terminal's first page; its waits are those of the ranks, too
  ShownCommunicators communicators;
  SiteSums sites;
  BinnedTimes ranks;
  // Nothing if the profile lacks them, or if the selection cannot be applied to them.
  std::optional<PairSums> pairs = std::nullopt;
  std::optional<Regions> regions = std::nullopt;
  std::vector<Cause> causes = {};  // of waiting
  Json windows = {};               // of time; null like pairs
  Json links = {};                 // of a network, if one is read
  // The reason why pairs, regions or links are missing, if it is the selection or the profile; for links only if a
  // network is read.
  std::string no_pairs = {};
  std::string no_regions = {};
  std::string no_links = {};

  [[nodiscard]] Summary const& summary() const { return first.summary; }
};

// Adds up what the messages of a selection put on the links of a network. Another library reads networks: see
// commands/wing.hpp.
using LinksReader = std::function<Json(Profile const&, Selection const&, Overview const&)>;

// Reads the whole profile, and the network if there is a reader for it. Throws ProfileError, and SelectionError for a
// pattern that matches nothing.
ReportData read_report_data(Profile const& profile, Selection const& selection, LinksReader const& read_links = {});

}  // namespace mpisee_through
