#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "files/number_in.hpp"
#include "files/profile_error.hpp"
#include "profile/schema.hpp"
#include "reader/csv_fields.hpp"
#include "reader/line_reader.hpp"
#include "reader/profile_files.hpp"
#include "reader/seconds.hpp"

namespace mpisee_through {

// Reads a CSV file of the profile row by row. Columns have the schema's names; numbers are parsed strictly; truncated
// files are detected; errors name the file and the line.
//
// Fields point into the current line, and are valid until next().
template <commprof::schema::File const& schema_file>
class CsvFile {
  static constexpr std::size_t column_count = schema_file.columns.size();

 public:
  // The index of a column of the schema, found at compile time: an unknown name does not compile.
  static consteval std::size_t column(std::string_view name) {
    std::size_t const place = schema_file.place(name);
    if (place == column_count) throw "the schema has no column of this name";
    return place;
  }

  // expected_rows: the count in run.json, if any. If the file has another number of rows, that is an error.
  CsvFile(ProfileFiles const& profile, std::optional<std::uint64_t> expected_rows)
      : file_(profile.file(schema_file.name)),
        expected_rows_(expected_rows),
        lines_(std::make_unique<LineReader>(file_)) {
    if (!lines_->next()) throw ProfileError(file_.shown, 1, "empty, without even the header line");
    split_line();
    find_columns();
  }

  // A part of the file; the number of its rows is unknown.
  CsvFile(CsvFile const& whole, FileRange range, std::shared_ptr<Progress> progress)
      : file_(whole.file_),
        lines_(std::make_unique<LineReader>(file_, range, std::move(progress))),
        columns_in_file_(whole.columns_in_file_),
        place_of_(whole.place_of_) {}

  // Moves to the next row. False at the end of the file; throws ProfileError.
  bool next() {
    if (!next_line()) return false;
    split_row();
    return true;
  }

  // Moves to the next row in which the column is empty. Rows in between are counted but not checked.
  bool next_with_empty(std::size_t column) {
    while (next_line()) {
      if (!begins_without(lines_->line(), place_of_[column])) continue;
      split_row();
      if (text(column).empty()) return true;
    }
    return false;
  }

  // Moves behind the next line without checking it.
  void skip_line() { (void)lines_->next(); }

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
      if (value > 9) fail_count(column);
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

  [[nodiscard]] FileToRead const& file() const { return file_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // read so far
  [[nodiscard]] std::uint64_t offset_of_next() const { return lines_->offset_of_next(); }

  // Reports a problem in the current row.
  [[noreturn]] void fail(std::string_view problem) const {
    throw ProfileError(file_.shown, lines_->line_number(), problem);
  }

 private:
  bool next_line() {
    if (!lines_->next()) {
      if (expected_rows_ && rows_ < *expected_rows_) {
        fail(fmt::format("cut off after {} of {} rows", rows_, *expected_rows_));
      }
      return false;
    }
    ++rows_;
    return true;
  }

  void split_row() {
    split_line();
    if (fields_.size() < columns_in_file_) fail("fewer fields than the header has columns");
    if (fields_.size() > columns_in_file_) fail("more fields than the header has columns");
    if (expected_rows_ && rows_ > *expected_rows_) {
      fail(fmt::format("more rows than the {} that {} counts", *expected_rows_, commprof::schema::run_file));
    }
  }

  // Refuses a line that was cut off even if it looks complete: its last number may have lost digits.
  void split_line() {
    if (lines_->is_cut_off()) fail("cut off in the middle of the line");
    switch (split_fields(lines_->line(), fields_)) {
      case Quoting::correct:
        return;
      case Quoting::not_closed:
        fail("quote not closed");
      case Quoting::text_after_quote:
        fail("text after the closing quote of a field");
      case Quoting::quote_in_text:
        fail("quote in a field that does not begin with one");
    }
  }

  void find_columns() {
    columns_in_file_ = fields_.size();
    for (std::size_t i = 0; i < column_count; ++i) {
      commprof::schema::Column const& column = schema_file.columns[i];
      auto const found = std::ranges::find(fields_, column.name);
      place_of_[i] = static_cast<std::size_t>(found - fields_.begin());
      if (found == fields_.end() && column.field == commprof::schema::later) continue;
      if (found == fields_.end()) fail(fmt::format("no column \"{}\" in the header", column.name));
      if (std::find(found + 1, fields_.end(), column.name) != fields_.end()) {
        fail(fmt::format("column \"{}\" twice in the header", column.name));
      }
    }
  }

  // Parses a count with so many digits that it may exceed the largest number.
  [[nodiscard]] std::uint64_t long_count(std::size_t column) const {
    auto const number = number_in<std::uint64_t>(text(column));
    if (!number) fail_count(column);
    return *number;
  }

  // Parses a time with any number of digits, or with an exponent.
  [[nodiscard]] double parsed_seconds(std::size_t column) const {
    auto const number = number_in<double>(text(column));
    if (!number || !std::isfinite(*number) || *number < 0) fail_number(column, "a time in seconds");
    return *number;
  }

  [[noreturn]] void fail_count(std::size_t column) const { fail_number(column, "a whole number"); }
  [[noreturn]] void fail_number(std::size_t column, std::string_view kind) const {
    fail(fmt::format("{} is not {}: \"{}\"", schema_file.columns[column].name, kind, text(column)));
  }

  FileToRead file_;
  std::optional<std::uint64_t> expected_rows_;
  std::uint64_t rows_ = 0;
  std::unique_ptr<LineReader> lines_;
  std::size_t columns_in_file_ = 0;
  std::array<std::size_t, column_count> place_of_{};  // by column of the schema: its index in the file
  std::vector<std::string_view> fields_;
};

}  // namespace mpisee_through
