// A summary as its reader wants to see it: for people as text, for programs as CSV or JSON.
//
// Text is plain: no colours, no control characters, UTF-8 for the µ of µs and for names. Numbers are short in text and
// complete elsewhere (seconds and bytes, with all digits). All forms show the same selection in the same order.
#pragma once

#include <optional>
#include <ostream>

#include "summary/arrangement.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

enum class View { communicators, tree, collectives, traffic, regions };
enum class Format { text, csv, json };

struct TrafficLayout {
  Measure by = Measure::bytes;
  std::optional<std::size_t> top{};    // only so many pairs, the busiest first
  std::optional<std::size_t> width{};  // of the terminal, if text goes to one: a wider matrix could not be read there
};

// The first three views.
void show(std::ostream& out, Summary const& summary, View view, Format format, Arrangement const& arrangement);
void show(std::ostream& out, Traffic const& traffic, Format format, TrafficLayout const& layout);
void show(std::ostream& out, Regions const& regions, Format format);

}  // namespace mpisee_through
