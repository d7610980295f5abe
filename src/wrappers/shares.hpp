// Divides the time of a call among the communicators of its requests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"

namespace commprof {

inline CommIndex comm_of(CommIndex comm) { return comm; }

// Sorts a call's requests by their communicators and calls visit(first, last, share) for those on each one. Request:
// has an order in which the communicator comes first, and comm_of(). There is at least one. Each share is taken of what
// is left, so that rounding loses nothing: the shares add up to the whole.
template <class Request, class Visitor>
void for_each_share(Request* first, Request* last, Ticks time, Visitor&& visit) {
  auto const is_elsewhere = [first](Request const& one) { return comm_of(one) != comm_of(*first); };
  if (std::none_of(first + 1, last, is_elsewhere)) return visit(first, last, time);
  if (!std::is_sorted(first, last)) std::sort(first, last);
  auto left = static_cast<std::uint64_t>(last - first);
  while (first != last) {
    Request* next = first + 1;
    while (next != last && comm_of(*next) == comm_of(*first)) ++next;
    auto const requests = static_cast<std::uint64_t>(next - first);
    Ticks const share{static_cast<std::uint64_t>(static_cast<unsigned __int128>(time.count) * requests / left)};
    visit(first, next, share);
    time -= share;
    left -= requests;
    first = next;
  }
}

}  // namespace commprof
