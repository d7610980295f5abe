#include "message_waits/pending_spans.hpp"

#include <algorithm>

#include "message_waits/thinned_spans.hpp"

namespace commprof {

bool PendingSpans::add(Ticks begin, Ticks entry, Ticks exit, Visit visit) {
  if (spans_.size() >= most_spans || kinds_.size() + most_of_span > most_kinds) return false;
  Span span{begin, entry, exit, static_cast<std::uint32_t>(kinds_.size()), 0};
  if (!spans_.push_back(span)) return false;
  visit(this, [](void* self, RecordKey key) { static_cast<PendingSpans*>(self)->take(key); });
  span.count = static_cast<std::uint32_t>(kinds_.size()) - span.first;
  if (span.count == 0) spans_.shrink(spans_.size() - 1);
  else *(spans_.end() - 1) = span;
  return true;
}

// Adds a request to the latest span.
void PendingSpans::take(RecordKey key) {
  Kind* const first = kinds_.begin() + (spans_.end() - 1)->first;
  Kind* const same = std::find_if(first, kinds_.end(), [&](Kind const& one) { return one.key == key; });
  if (same != kinds_.end()) ++same->requests;
  else if (static_cast<std::size_t>(kinds_.end() - first) < most_of_span) kinds_.push_back({key, 1});
}

void PendingSpans::thin(PlacedInstants const& instants) {
  commprof::thin(spans_, kinds_, instants, [](Span const& one) { return one.begin; });
}

bool PendingSpans::restore(std::span<Span const> spans, std::span<Kind const> kinds) {
  for (Span const& one : spans)
    if (!spans_.push_back(one)) return false;
  for (Kind const& one : kinds)
    if (!kinds_.push_back(one)) return false;
  return true;
}

void PendingSpans::convert(CommonClock const& clock) {
  for (Span& span : spans_)
    span = {clock.of(span.begin), clock.of(span.entry), clock.of(span.exit), span.first, span.count};
}

}  // namespace commprof
