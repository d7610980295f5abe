// Reads a CSV file of the profile row by row. Columns have the schema's names; numbers are parsed strictly; truncated
// files are detected; errors name the file and the line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "files/text_lines.hpp"
#include "profile/schema.hpp"
#include "reader/seconds.hpp"

namespace mpisee_through {

// Splits a line of RFC 4180 into its fields. A line is a record, so quoted fields cannot contain line breaks. Removes
// quotes in place: the fields point into the line. Returns what is wrong; empty if nothing is.
[[nodiscard]] std::string_view split_fields(std::span<char> line, std::vector<std::string_view>& fields);

// Parses times as profiles have them, "12.034567891": at most nine decimals, and ten digits before them. Nothing for
// other numbers.
[[nodiscard]] inline std::optional<std::uint64_t> parse_nanoseconds(std::string_view text) {
  constexpr std::size_t most_decimals = 9, most_digits = 10;
  std::uint64_t number = 0;
  std::size_t at = 0;
  auto const take_digits = [&](std::size_t most) {
    std::size_t const begin = at, end = std::min(text.size(), at + most);
    for (; at < end; ++at) {
      auto const digit = static_cast<unsigned char>(text[at] - '0');
      if (digit > 9) break;
      number = 10 * number + digit;
    }
    return at - begin;
  };
  if (take_digits(most_digits) == 0) return std::nullopt;
  std::size_t decimals = 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    decimals = take_digits(most_decimals);
    if (decimals == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  for (; decimals < most_decimals; ++decimals) number *= 10;
  return number;
}

// A part of a CSV file. If has_row_before is set, its range begins one row early, so that a reader can compare the
// first row with the one before it.
struct CsvPart {
  FileRange range;
  bool has_row_before = false;
};

// Fields point into the current line, and are valid until next(). A column is given by its place in the schema.
class CsvFile {
 public:
  CsvFile(FileToRead const& file, commprof::schema::File const& schema);
  // A part of the file.
  CsvFile(CsvFile const& whole, FileRange range);

  // Moves to the next row. False at the end of the file; throws ProfileError.
  bool next();

  // Empty if the file is older than the column.
  [[nodiscard]] std::string_view text(std::size_t column) const {
    return place_of_[column] < fields_.size() ? fields_[place_of_[column]] : std::string_view();
  }

  [[nodiscard]] std::uint64_t count(std::size_t column) const {
    std::string_view const digits = text(column);
    if (digits.empty() || digits.size() > std::numeric_limits<std::uint64_t>::digits10) return long_count(column);
    std::uint64_t number = 0;
    for (char const digit : digits) {
      auto const value = static_cast<unsigned char>(digit - '0');
      if (value > 9) fail_number(column, "a whole number");
      number = 10 * number + value;
    }
    return number;
  }

  // Time: Seconds, for exact sums, or double.
  template <class Time>
  [[nodiscard]] Time seconds(std::size_t column) const {
    if (auto const nanoseconds = parse_nanoseconds(text(column))) return Seconds::of_nanoseconds(*nanoseconds);
    return parsed_seconds(column);
  }

  // Divides what follows the header into parts for all threads; a small file is one part. Adjacent rows with the same
  // text in the column stay in one part.
  [[nodiscard]] std::vector<CsvPart> divide(std::optional<std::size_t> column) const;

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // read so far

  // Reports a problem in the current row.
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  void split_line();
  void find_columns();
  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> find_begin(
      std::uint64_t place, std::optional<std::size_t> column) const;
  [[nodiscard]] std::uint64_t long_count(std::size_t column) const;
  [[nodiscard]] double parsed_seconds(std::size_t column) const;
  [[noreturn]] void fail_number(std::size_t column, std::string_view kind) const;

  FileToRead file_;
  commprof::schema::File const* schema_;
  std::uint64_t rows_ = 0;
  std::unique_ptr<LineReader> lines_;
  std::size_t columns_in_file_ = 0;
  std::vector<std::size_t> place_of_;  // by column of the schema: its index in the file
  std::vector<std::string_view> fields_;
};

}  // namespace mpisee_through
