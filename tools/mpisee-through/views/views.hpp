// Shows a summary to people as text, and to programs as CSV or JSON.
//
// Text is UTF-8 without control characters, except the colours of the first page on a terminal. Text rounds numbers;
// the other forms have all digits, and seconds and bytes as units. All forms show the same selection in the same order.
#pragma once

#include <optional>
#include <ostream>

#include "findings/first_screen.hpp"
#include "summary/arrangement.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"
#include "summary/time_windows.hpp"
#include "summary/traffic.hpp"
#include "summary/waits.hpp"
#include "text/format.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {

struct TrafficLayout {
  Measure by = Measure::bytes;
  std::optional<std::size_t> top{};    // number of pairs, the busiest first
  std::optional<std::size_t> width{};  // of the terminal, if text goes to one: a wider matrix is not shown as such
};

struct RegionsLayout {
  RegionTimes times = RegionTimes::inclusive;  // in text; CSV and JSON have both
  Arrangement arrangement{};                   // of the regions within each parent
};

struct RanksLayout {
  Arrangement arrangement{};
  bool has_whole_ranks = true;  // all calls of the ranks are selected
};

// The lines of --waits: operations; the ranks of each operation; pairs of ranks that wait for each other's messages; or
// what makes ranks wait. `top` counts them, and waits must have been read with them.
enum class WaitLines { operations, ranks, pairs, causes };
void show(std::ostream& out, Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
          Format format, Arrangement const& arrangement, WaitLines by);
void show(std::ostream& out, Summary const& summary, Waits const& waits, Format format, RanksLayout const& layout);
void show(std::ostream& out, Traffic const& traffic, Format format, TrafficLayout const& layout);
void show(std::ostream& out, Regions const& regions, Format format, RegionsLayout const& layout = {});
// The run over time.
struct WhenLayout {
  Selection const& selection;
  std::size_t width;  // of text
};
void show(std::ostream& out, TimeWindows const& windows, Format format, WhenLayout const& layout);
void show_no_windows(std::ostream& out, Overview const& overview, Format format);
void show(std::ostream& out, FirstScreen const& screen, Format format, Terminal const& terminal);

}  // namespace mpisee_through
