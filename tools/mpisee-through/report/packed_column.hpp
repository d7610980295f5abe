#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mpisee_through {

// Packs a column of numbers into a text for JSON: base64 of the bytes described below. This is a fraction of the length
// of decimal digits, and a browser decodes it quickly.

// A number takes groups of seven bits, lowest first; all but its last group have bit 128 set.
[[nodiscard]] std::string pack_counts(std::span<std::uint64_t const> counts);

// A number is an IEEE 754 double, lowest byte first.
[[nodiscard]] std::string pack_seconds(std::span<double const> seconds);

}  // namespace mpisee_through
