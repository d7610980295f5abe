// Formats numbers for people: four significant digits, in the unit that makes them short. A number that rounds up to
// the next unit is shown in it (1023.99 KiB is 1.000 MiB). Exact values are in --csv and --json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reader/profile_reader.hpp"

namespace mpisee_through {

[[nodiscard]] std::string format_seconds(double seconds);  // 1.235 µs, 12.35 ms, 1.235 s, 12,346 s
[[nodiscard]] inline std::string format_seconds(Seconds time) { return format_seconds(static_cast<double>(time)); }
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);                             // 1023 B, 1.500 KiB, 12.35 GiB
[[nodiscard]] std::string format_count(std::uint64_t count);                             // 1,234,567
[[nodiscard]] std::string format_number_of(std::uint64_t count, std::string_view noun);  // 1 host, 2,000 hosts
[[nodiscard]] std::string format_share(std::optional<double>);  // 12.3 %, <0.1 %, or - if unknown
// 82.0 ± 3.1 %; an error that would round to 0.0 is shown as 0.1, so that it does not look exact
[[nodiscard]] std::string format_share(double share, std::optional<double> error);
[[nodiscard]] std::string format_size_bin(SizeBin const& size);  // 0 B, 2-3 B, 1 KiB to <2 KiB

// Ascending ranks in the notation of --rank: "0-3,8".
[[nodiscard]] std::string rank_list(std::vector<std::uint32_t> const& ranks);
// "rank 8" or "ranks 0-3,8"; shortens many ranges.
[[nodiscard]] std::string ranks_in_words(std::vector<std::uint32_t> const& ranks);

[[nodiscard]] inline std::string format_seconds(std::optional<double> seconds) {
  return seconds ? format_seconds(*seconds) : "-";
}

// A character for a part from 0 to 1, for numbers over time; a blank only for nothing.
[[nodiscard]] std::string_view spark_of(std::optional<double> part);

// A part, 0 to 1, as a bar of at most `full` characters. Any part above 0 gets a visible bar.
[[nodiscard]] std::string draw_bar(double part, std::size_t full = 20);

}  // namespace mpisee_through
