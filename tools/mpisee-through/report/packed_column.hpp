#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mpisee_through {

// A column of numbers as a text for JSON, a fraction as long as the numbers in digits and read at once by a browser:
// the base64 form of these bytes.

// Each number in groups of seven bits, the lowest first; all but the last group of a number have the bit 128.
[[nodiscard]] std::string pack_counts(std::span<std::uint64_t const> counts);

// Each number as an IEEE 754 double, the lowest byte first.
[[nodiscard]] std::string pack_seconds(std::span<double const> seconds);

}  // namespace mpisee_through
