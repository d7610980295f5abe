// The kinds of calls that windows of time tell apart, from the table of calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "calls/by_operation.hpp"

namespace commprof {

enum class CallKind : std::uint8_t { point_to_point, collective, completion, one_sided, files, other, count_ };
inline constexpr std::size_t call_kinds = static_cast<std::size_t>(CallKind::count_);
inline constexpr std::array<std::string_view, call_kinds> call_kind_names{"point-to-point", "collective", "completion",
                                                                          "one-sided",      "files",      "other"};

namespace detail {

constexpr CallKind kind_of(calls::Family family) {
  switch (family) {
    case calls::point_to_point:
      return CallKind::point_to_point;
    case calls::collective:
    case calls::neighborhood:
      return CallKind::collective;
    case calls::completion:
      return CallKind::completion;
    case calls::one_sided:
      return CallKind::one_sided;
    case calls::file:
      return CallKind::files;
    default:
      return CallKind::other;
  }
}

inline constexpr auto kinds = calls::by_operation([](calls::Row const& row) { return kind_of(row.family); });

}  // namespace detail

constexpr CallKind kind_of(Op op) { return detail::kinds[static_cast<std::size_t>(op)]; }

}  // namespace commprof
