#pragma once

#include <fmt/format.h>

#include <cstdint>

namespace mpisee_through {

// A time, or a sum of times. It holds whole nanoseconds, as profiles do: sums are exact and do not depend on the order
// of the summands, unlike sums of floating-point numbers. It converts from and to a number of seconds.
class Seconds {
 public:
  constexpr Seconds() = default;
  // Rounds to nanoseconds. A time too long to sum becomes the longest one.
  constexpr Seconds(double seconds)  // NOLINT(google-explicit-constructor): a time in seconds is one
      : Seconds(seconds < longest_s ? rounded(seconds * per_second) : longest()) {}
  [[nodiscard]] static constexpr Seconds of_nanoseconds(std::uint64_t count) { return Seconds(Wide{count}); }

  constexpr operator double() const {  // NOLINT(google-explicit-constructor): a time is its number of seconds
    return (high_ == 0 ? static_cast<double>(low_) : static_cast<double>(wide())) / per_second;
  }
  constexpr Seconds& operator+=(Seconds other) { return *this = Seconds(wide() + other.wide()); }

  // Compares nanoseconds, without rounding to double.
  constexpr bool is_less(Seconds other) const { return wide() < other.wide(); }
  // False if a summand was too long.
  [[nodiscard]] constexpr bool is_countable() const { return wide() <= longest(); }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr double per_second = 1e9, longest_s = 1e28;

  constexpr explicit Seconds(Wide count)
      : low_(static_cast<std::uint64_t>(count)), high_(static_cast<std::uint64_t>(count >> 64U)) {}
  [[nodiscard]] constexpr Wide wide() const { return Wide{high_} << 64U | low_; }
  static constexpr Wide rounded(double number) {
    Wide const below = Wide(number);
    return below + (number - static_cast<double>(below) >= 0.5 ? 1 : 0);
  }
  static constexpr Wide longest() { return Wide{1} << 126U; }

  std::uint64_t low_ = 0;  // low half of the nanoseconds
  std::uint64_t high_ = 0;
};

// Writes the number of seconds.
template <class Json>
void to_json(Json& json, Seconds seconds) {
  json = static_cast<double>(seconds);
}

}  // namespace mpisee_through

template <>
struct fmt::formatter<mpisee_through::Seconds> : fmt::formatter<double> {
  template <class Context>
  auto format(mpisee_through::Seconds seconds, Context& context) const {
    fmt::formatter<double> number = *this;  // fmt 7 formats with one that is not const
    return number.format(seconds, context);
  }
};
