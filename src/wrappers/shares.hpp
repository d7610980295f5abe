// Divides the time of a call among the communicators of its requests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"

namespace commprof {

// Sorts the communicators of a call's requests, at least one, and calls visit(communicator, requests, share) for each
// different one. Each share is taken of what is left, so that rounding loses nothing: the shares add up to the whole.
template <class Visitor>
void for_each_share(CommIndex* first, CommIndex* last, Ticks time, Visitor&& visit) {
  if (std::all_of(first + 1, last, [first](CommIndex comm) { return comm == *first; }))
    return visit(*first, static_cast<std::uint64_t>(last - first), time);
  std::sort(first, last);
  auto left = static_cast<std::uint64_t>(last - first);
  while (first != last) {
    CommIndex* const next = std::upper_bound(first, last, *first);
    auto const requests = static_cast<std::uint64_t>(next - first);
    Ticks const share{static_cast<std::uint64_t>(static_cast<unsigned __int128>(time.count) * requests / left)};
    visit(*first, requests, share);
    time -= share;
    left -= requests;
    first = next;
  }
}

}  // namespace commprof
