#include "summary/size_range.hpp"

#include <fmt/format.h>

#include <charconv>

namespace mpisee_through {
namespace {

// Parses 64, 64k, 64K, 64KiB.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t bytes = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return bytes;

  constexpr std::string_view prefixes = "kmgtpe";
  std::size_t const prefix = prefixes.find(static_cast<char>(unit.front() | 0x20));
  unit.remove_prefix(1);
  if (prefix == prefixes.npos || !(unit.empty() || unit == "i" || unit == "iB")) return std::nullopt;
  std::size_t const shift = 10 * (prefix + 1);
  if (bytes > UINT64_MAX >> shift) return std::nullopt;
  return bytes << shift;
}

}  // namespace

std::optional<SizeRange> SizeRange::parse(std::string_view text) {
  std::size_t const dash = text.find('-');
  auto const min = parse_bytes(text.substr(0, dash));
  if (!min) return std::nullopt;
  if (dash == text.npos) return SizeRange{*min, *min};
  std::string_view const upper = text.substr(dash + 1);
  if (upper.empty()) return SizeRange{*min, UINT64_MAX};
  auto const max = parse_bytes(upper);
  if (!max || *max < *min) return std::nullopt;
  return SizeRange{*min, *max};
}

std::string SizeRange::to_string() const {
  return max_bytes == UINT64_MAX ? fmt::format("{}-", min_bytes) : fmt::format("{}-{}", min_bytes, max_bytes);
}

}  // namespace mpisee_through
