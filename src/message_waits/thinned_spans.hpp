// Drops spans of time in which no instant lies any more, with the values that each has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/kept_vector.hpp"
#include "message_waits/placed_instants.hpp"

namespace commprof {

// A span has `count` of the values, from the index `first` on. begin_of(span): since when instants lie in it.
template <class Span, class Value, class BeginOf>
void thin(KeptVector<Span>& spans, KeptVector<Value>& values, PlacedInstants const& instants, BeginOf&& begin_of) {
  std::size_t kept = 0, kept_values = 0;
  for (Span const& span : spans) {
    if (!instants.lies_in(begin_of(span), span.exit)) continue;
    Span& to = *(spans.begin() + kept++);
    std::copy_n(values.begin() + span.first, span.count, values.begin() + kept_values);
    to = span;
    to.first = static_cast<std::uint32_t>(kept_values);
    kept_values += span.count;
  }
  spans.shrink(kept);
  values.shrink(kept_values);
}

}  // namespace commprof
