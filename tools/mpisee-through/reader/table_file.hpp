#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "files/profile_error.hpp"
#include "files/progress.hpp"
#include "reader/csv_parts.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

// A table, or a part of one, of which the first row is that before the part: it is read to compare the next one with
// it, and does not count.
template <commprof::schema::File const& schema_file>
struct TableFile {
  using Csv = CsvFile<schema_file>;

  TableFile(Csv&& table, Profile const& profile) : csv(std::move(table)), ranks(profile.run().ranks) {}

  bool next() {
    is_row_before = has_row_before && csv.rows() == 0;
    return csv.next();
  }
  // Moves to the next row in which a field is empty.
  bool next_with_empty(std::size_t column) {
    is_row_before = has_row_before && csv.rows() == 0;
    return is_row_before ? csv.next() : csv.next_with_empty(column);
  }
  [[nodiscard]] std::uint64_t rows_read() const { return csv.rows() - (has_row_before && csv.rows() > 0 ? 1 : 0); }

  Csv csv;
  std::uint32_t ranks;
  bool has_row_before = false;
  bool is_row_before = false;  // the row that was read last
};

// One part of a small table, and of one that is no regular file and cannot be read twice.
template <class Rows, class File>
std::vector<Rows> parts_of(Profile const& profile, std::optional<std::uint64_t> expected_rows,
                           std::optional<std::size_t> column, auto const& make) {
  typename File::Csv whole(profile.files(), expected_rows);
  std::vector<CsvPart> const parts = divide(whole, column);
  std::vector<Rows> rows;
  if (parts.size() == 1) {
    rows.push_back(make(std::make_unique<File>(std::move(whole), profile)));
    return rows;
  }
  auto const progress = std::make_shared<Progress>("Reading " + whole.file().shown.filename().string(),
                                                   size_of_regular(whole.file()).value_or(0));
  for (CsvPart const& part : parts) {
    auto file = std::make_unique<File>(typename File::Csv(whole, part.range, progress), profile);
    file->has_row_before = part.has_row_before;
    rows.push_back(make(std::move(file)));
  }
  return rows;
}

// What CsvFile checks of a table that is read as a whole.
inline void check_rows(Profile const& profile, commprof::schema::File const& table,
                       std::optional<std::uint64_t> expected, std::uint64_t rows) {
  if (!expected || rows == *expected) return;
  auto const fail = [&](std::uint64_t line, std::string const& problem) {
    throw ProfileError(profile.files().file(table.name).shown, line, problem);
  };
  if (rows < *expected) fail(rows + 1, fmt::format("cut off after {} of {} rows", rows, *expected));
  fail(*expected + 2, fmt::format("more rows than the {} that {} counts", *expected, commprof::schema::run_file));
}

}  // namespace mpisee_through
