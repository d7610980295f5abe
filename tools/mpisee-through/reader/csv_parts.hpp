#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/progress.hpp"
#include "reader/csv_file.hpp"
#include "reader/parallel.hpp"

namespace mpisee_through {

// A part of a CSV file. If has_row_before is set, its range begins one row early, so that a reader can compare the
// first row with the one before it.
struct CsvPart {
  FileRange range;
  bool has_row_before = false;
};

// A thread costs more than it saves for a smaller part.
inline constexpr std::uint64_t least_part_bytes = std::uint64_t{1} << 20U;

// Finds the first row after `place` that can begin a part: one whose text in `column` differs from the row before (any
// row if there is no column). Returns the offsets of the row before and of this row. Nothing if no such row is nearby
// or a line is malformed; the reader of the part reports that line.
template <class Csv>
std::optional<std::pair<std::uint64_t, std::uint64_t>> find_begin(Csv const& whole, std::uint64_t place,
                                                                  std::optional<std::size_t> column) {
  constexpr std::uint64_t nearby = 4 * least_part_bytes;
  try {
    Csv lines(whole, {place, UINT64_MAX}, nullptr);
    lines.skip_line();  // skips the rest of the line at `place`
    std::uint64_t before = lines.offset_of_next();
    if (!lines.next()) return std::nullopt;
    std::string const text(column ? lines.text(*column) : "");
    for (std::uint64_t here = lines.offset_of_next(); here < place + nearby; here = lines.offset_of_next()) {
      if (!lines.next()) return std::nullopt;
      if (!column || lines.text(*column) != text) return std::pair(before, here);
      before = here;
    }
  } catch (ProfileError const&) {
  }
  return std::nullopt;
}

// Divides what follows the header into parts for all threads; a small file is one part. Adjacent rows with the same
// text in the column stay in one part.
template <class Csv>
std::vector<CsvPart> divide(Csv const& whole, std::optional<std::size_t> column) {
  constexpr std::size_t parts_of_thread = 4;  // several parts for each thread balance the load
  std::uint64_t const size = size_of_regular(whole.file()).value_or(0);
  std::size_t const threads = threads_at_once();
  std::uint64_t const most =
      threads > 1 ? std::min<std::uint64_t>(size / least_part_bytes, parts_of_thread * threads) : 1;
  std::vector<CsvPart> parts{{{whole.offset_of_next(), UINT64_MAX}}};
  for (std::uint64_t i = 1; i < most; ++i) {
    auto const begins = find_begin(whole, size / most * i, column);
    if (!begins || begins->first < parts.back().range.begin || begins->second <= parts.back().range.begin) continue;
    parts.back().range.end = begins->second;
    parts.push_back({{begins->first, UINT64_MAX}, true});
  }
  return parts;
}

}  // namespace mpisee_through
