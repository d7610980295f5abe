// A summary as its reader wants to see it: for people as text, for programs as CSV or JSON.
//
// Text has no control characters but the colours of the first screen on a terminal, and is UTF-8. Numbers are short in
// text and complete elsewhere (seconds and bytes, with all digits). All forms show the same selection in the same
// order.
#pragma once

#include <optional>
#include <ostream>

#include "findings/first_screen.hpp"
#include "summary/arrangement.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"
#include "summary/traffic.hpp"
#include "summary/waits.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {

enum class View {
  first_screen,
  communicators,
  census,
  tree,
  operations,
  sites,
  ranks,
  collectives,
  waits,
  traffic,
  regions
};
// html: the part of the page that a view fills; page_of_views() makes a document of such parts.
enum class Format { text, csv, json, html };

struct TrafficLayout {
  Measure by = Measure::bytes;
  std::optional<std::size_t> top{};    // only so many pairs, the busiest first
  std::optional<std::size_t> width{};  // of the terminal, if text goes to one: a wider matrix could not be read there
};

struct RegionsLayout {
  RegionTimes times = RegionTimes::inclusive;  // of text; CSV and JSON have both
  Arrangement arrangement{};                   // of the regions of one parent
};

struct RanksLayout {
  Arrangement arrangement{};
  bool has_whole_ranks = true;  // all calls of the ranks are selected
};

// The views of a summary: communicators to collectives, without ranks.
void show(std::ostream& out, Summary const& summary, View view, Format format, Arrangement const& arrangement);
// by_rank: with a line for each rank of each operation; then top is a number of ranks. waits has to know of them.
void show(std::ostream& out, Summary const& summary, Waits const& waits, Format format, Arrangement const& arrangement,
          bool by_rank);
void show(std::ostream& out, Summary const& summary, Waits const& waits, Format format, RanksLayout const& layout);
void show(std::ostream& out, Traffic const& traffic, Format format, TrafficLayout const& layout);
void show(std::ostream& out, Regions const& regions, Format format, RegionsLayout const& layout = {});
void show(std::ostream& out, FirstScreen const& screen, Format format, Terminal const& terminal);

}  // namespace mpisee_through
