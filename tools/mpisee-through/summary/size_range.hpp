#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reader/profile_reader.hpp"

namespace mpisee_through {

// Sizes in bytes, bounds included. The size classes of a profile are powers of two. A class belongs to the range that
// contains its smallest size, so ranges that do not overlap share no class.
struct SizeRange {
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = UINT64_MAX;

  // 1k-64k, 8, 1m- ; k, m, g are powers of 1024. Nothing if the text is not a range.
  [[nodiscard]] static std::optional<SizeRange> parse(std::string_view text);

  [[nodiscard]] bool holds(SizeBin const& size) const {
    return min_bytes <= size.min_bytes && size.min_bytes <= max_bytes;
  }
  [[nodiscard]] std::string to_string() const;  // in bytes: 1024-65536, 1048576-
};

}  // namespace mpisee_through
