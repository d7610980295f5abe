#include "text/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace mpisee_through {
namespace {

// Four significant digits of a number that is not negative. The limits are where rounding adds a digit: 9.9996 becomes
// 10.00.
std::string significant(double number, std::string_view unit) {
  int const decimals = number < 9.9995 ? 3 : number < 99.995 ? 2 : number < 999.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", number, decimals, unit);
}

std::string grouped(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

// The smallest numbers that significant() shows as 1000, 1024 and 10000: they move to the next unit.
constexpr double rounds_to_1000 = 999.95;
constexpr double rounds_to_1024 = 1023.5;
constexpr double rounds_to_10000 = 9999.5;

constexpr std::array<std::string_view, 7> byte_units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

}  // namespace

std::string format_seconds(double seconds) {
  constexpr std::pair<double, std::string_view> parts[]{{1e9, "ns"}, {1e6, "µs"}, {1e3, "ms"}};
  if (seconds == 0) return "0 s";
  if (seconds < 0) return "-" + format_seconds(-seconds);
  for (auto const& [in_one_second, unit] : parts)
    if (double const number = seconds * in_one_second; number < rounds_to_1000) return significant(number, unit);
  if (seconds < rounds_to_10000) return significant(seconds, "s");
  constexpr double longest = 1e12;  // of damaged files
  if (seconds >= longest) return fmt::format("{:.3e} s", seconds);
  return fmt::format("{} s", grouped(fmt::format("{:.0f}", seconds)));
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double number = static_cast<double>(bytes) / 1024;
  std::size_t unit = 1;
  while (number >= rounds_to_1024 && unit + 1 < byte_units.size()) {
    number /= 1024;
    ++unit;
  }
  return significant(number, byte_units[unit]);
}

std::string format_count(std::uint64_t count) {
  fmt::format_int const digits(count);
  return grouped({digits.data(), digits.size()});
}

std::string format_number_of(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string format_share(std::optional<double> share) {
  if (!share || !std::isfinite(*share)) return "-";
  if (*share > 0 && *share < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", *share * 100);
}

std::string format_share(double share, std::optional<double> error) {
  std::string const text = fmt::format("{:.1f}", share * 100);
  return error ? fmt::format("{} ± {:.1f} %", text, std::max(*error * 100, 0.1)) : text + " %";
}

std::string format_size_bin(SizeBin const& size) {
  auto const is_whole_kib = [](std::uint64_t bytes) { return bytes % 1024 == 0; };
  auto const exact = [](std::uint64_t bytes) {
    std::size_t unit = 0;
    for (; bytes != 0 && bytes % 1024 == 0 && unit + 1 < byte_units.size(); ++unit) bytes /= 1024;
    return fmt::format("{} {}", grouped(fmt::format("{}", bytes)), byte_units[unit]);
  };
  if (size.min_bytes == size.max_bytes) return exact(size.min_bytes);
  // The last bin ends at the largest number; 16 EiB itself does not fit the type.
  if (size.max_bytes == UINT64_MAX && is_whole_kib(size.min_bytes))
    return fmt::format("{} and more", exact(size.min_bytes));
  if (size.min_bytes > 0 && is_whole_kib(size.min_bytes) && is_whole_kib(size.max_bytes + 1)) {
    return fmt::format("{} to <{}", exact(size.min_bytes), exact(size.max_bytes + 1));
  }
  return fmt::format("{}-{} B", format_count(size.min_bytes), format_count(size.max_bytes));
}

std::string rank_list(std::vector<std::uint32_t> const& ranks) {
  RankSet set;
  for (std::uint32_t const rank : ranks) set.append(WorldRank{rank});
  return set.to_string();
}

std::string ranks_in_words(std::vector<std::uint32_t> const& ranks) {
  constexpr std::size_t room = 32;
  std::string list = rank_list(ranks);
  if (list.size() > room) list = list.substr(0, list.rfind(',', room)) + ",...";
  return (ranks.size() == 1 ? "rank " : "ranks ") + list;
}

std::string_view spark_of(std::optional<double> part) {
  constexpr std::array<std::string_view, 8> sparks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (!part || !(*part > 0)) return " ";
  return sparks[std::min(static_cast<std::size_t>(*part * sparks.size()), sparks.size() - 1)];
}

std::string draw_bar(double part, std::size_t full) {
  if (part <= 0 || full == 0) return {};
  double const length = std::round(static_cast<double>(full) * std::min(part, 1.0));
  return std::string(std::max<std::size_t>(static_cast<std::size_t>(length), 1), '#');
}

}  // namespace mpisee_through
