// Fields and files that the readers of several tables have in common.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "files/profile_error.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

template <class File>
WorldRank rank_field(File& file, std::size_t column, std::uint32_t ranks) {
  std::uint64_t const rank = file.count(column);
  if (rank >= ranks) file.fail(fmt::format("rank {} in a run of {} ranks", rank, ranks));
  return static_cast<WorldRank>(rank);
}

// A rank, or -1 for one of another world.
template <class File>
WorldRank peer_field(File& file, std::size_t column, std::uint32_t ranks) {
  return file.text(column) == "-1" ? other_world : rank_field(file, column, ranks);
}

template <class File>
TrafficClass class_field(File& file, std::size_t column) {
  std::optional<TrafficClass> const one = parse_traffic_class(file.text(column));
  if (!one) file.fail(fmt::format("class is none of p2p, rma, internal: \"{}\"", file.text(column)));
  return *one;
}

template <class File>
SizeBin size_field(File& file) {
  SizeBin const size{file.count(File::column("size_min")), file.count(File::column("size_max"))};
  if (size.min_bytes > size.max_bytes) file.fail("size_min is greater than size_max");
  return size;
}

// For files that not every profile has.
inline void require(Profile const& profile, commprof::schema::File const& file, std::string_view content) {
  if (profile.holds(file)) return;
  throw ProfileError(profile.files().file(file.name).shown, std::nullopt,
                     fmt::format("this profile was written without {}", content));
}

}  // namespace mpisee_through
