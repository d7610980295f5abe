// A summary as its reader wants to see it: for people as text, for programs as CSV or JSON.
//
// Text is plain: no colours, no control characters, UTF-8 for the µ of µs and for names. Numbers are short in text and
// complete elsewhere (seconds and bytes, with all digits). All forms show the same selection in the same order.
#pragma once

#include <ostream>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

enum class View { communicators, tree };
enum class Format { text, csv, json };

void show(std::ostream& out, Summary const& summary, View view, Format format, Arrangement const& arrangement);

}  // namespace mpisee_through
