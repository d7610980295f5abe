// The parts of a spool file, as bytes, and the waiting for messages in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>

#include "base/memory.hpp"
#include "comm_naming/registry.hpp"
#include "message_waits/message_waits.hpp"
#include "sites/sites.hpp"

namespace mpisee_through {

using Bytes = std::span<char const>;

// Copies an object of a trivial type from its bytes. bools: the offsets of its bools. A byte other than 0 or 1 there is
// not a valid bool, so nothing is returned.
template <class T>
std::optional<T> object_at(Bytes bytes, std::initializer_list<std::size_t> bools = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (bytes.size() < sizeof(T)) return std::nullopt;
  for (std::size_t const place : bools)
    if (static_cast<unsigned char>(bytes[place]) > 1) return std::nullopt;
  T object;
  std::memcpy(static_cast<void*>(&object), bytes.data(), sizeof(T));
  return object;
}

struct SpoolSegments {
  using Place = std::tuple<commprof::spool::Kind, std::uint32_t, std::uint32_t>;  // key of spool::Part
  std::map<Place, Bytes> all;

  [[nodiscard]] Bytes only(commprof::spool::Kind kind) const {
    auto const found = all.find({kind, 0, 0});
    return found == all.end() ? Bytes{} : found->second;
  }
  // Visits all segments of a kind: for each owner, its chunks in order.
  template <class Visitor>
  void for_each(commprof::spool::Kind kind, Visitor&& visit) const {
    for (auto place = all.lower_bound({kind, 0, 0}); place != all.end() && std::get<0>(place->first) == kind; ++place)
      visit(place->second);
  }
};

// What a process knew of the waiting for messages; nullptr if it did not measure that, was killed while it rewrote what
// it keeps, or the parts are damaged. damaged: counts damaged places.
[[nodiscard]] std::unique_ptr<commprof::MessageWaits> read_message_waits(SpoolSegments const& segments,
                                                                         commprof::Registry const& registry,
                                                                         commprof::Sites const& sites,
                                                                         std::uint64_t& damaged);

}  // namespace mpisee_through
