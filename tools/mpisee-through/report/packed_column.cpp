#include "report/packed_column.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/compiler.hpp"

namespace mpisee_through {
namespace {

// RFC 4648, with padding.
std::string base64(std::span<std::uint8_t const> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::span<std::uint8_t const> const group = bytes.subspan(at, std::min<std::size_t>(3, bytes.size() - at));
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8U | (i < group.size() ? group[i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? digits[bits >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace

std::string pack_counts(std::span<std::uint64_t const> counts) {
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t count : counts) {
    for (; count >= 128; count >>= 7U) bytes.push_back(static_cast<std::uint8_t>(count | 128U));
    bytes.push_back(static_cast<std::uint8_t>(count));
  }
  return base64(bytes);
}

std::string pack_seconds(std::span<double const> seconds) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(seconds.size() * sizeof(double));
  for (double const number : seconds) {
    auto const bits = commprof::bit_cast<std::uint64_t>(number);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  return base64(bytes);
}

}  // namespace mpisee_through
